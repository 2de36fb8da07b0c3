#!/usr/bin/env bash
# address NETWORK CURRENCY ORDER | payout NETWORK CURRENCY ADDRESS AMOUNT REFERENCE
# verify ID TIMESTAMP SIGNATURE < body
set -euo pipefail

# call METHOD PATH BODY: prints the answer, or fails with the gateway's message.
call() {
  local try now hash query signature answer status
  for try in 1 2 3 4; do
    now=$(date +%s)
    hash=$(printf %s "${3-}" | openssl dgst -sha256 -r | cut -d' ' -f1)
    query=$(cut -sd'?' -f2 <<<"$2")
    signature=$(printf '%s\n%s\n%s\n%s\n%s' "$now" "$1" "${2%%\?*}" "$query" "$hash" |
      openssl dgst -sha256 -hmac "$CPG_SECRET" -r | cut -d' ' -f1)
    if answer=$(curl -sS --max-time 20 -w '\n%{http_code}' -X "$1" "$CPG_URL$2" \
      -H "X-CPG-Key: $CPG_KEY_ID" -H "X-CPG-Timestamp: $now" -H "X-CPG-Signature: $signature" \
      -H 'Content-Type: application/json' --data-binary "${3-}"); then
      status=${answer##*$'\n'}
      case $status in
        200) echo "$answer"; return ;;
        429 | 500 | 503) ;;
        # Anything else is a proxy's answer.
        *) [[ $answer != *'"success":false'* ]] || { reason <<<"$answer" >&2; return 1; } ;;
      esac
    fi
    # Nobody knows whether it arrived. The reference makes repeating it safe.
    sleep $((2 ** try))
  done
  echo "No answer from $CPG_URL. It may have been carried out: ask again with the same reference." >&2; return 1
}

object() { # NAME VALUE...: a JSON object of texts.
  local out=
  for ((; $# > 1; )); do out+=",\"$1\":\"$(sed 's/[\\"]/\\&/g' <<<"$2")\"" && shift 2; done
  printf '{%s}' "${out:1}"
}
reason() { # The message, and what is wrong with each field.
  sed -E 's/^[^:]*:false,"message":"(([^"\\]|\\.)*)"[^[]*/\1/; s/[[,]\{"field":"([^"]*)","message":"([^"]*)"\}/ (\1: \2)/g; s/\]?\}.*//; q'
}
field() { sed -nE "s/.*\"($1)\":\"?([^\",}]*).*/\2/p"; }

case ${1-} in
  address)
    body=$(object network "$2" currency "$3" idempotency_key "$4")
    call POST /v1/deposit-addresses "$body" | field address ;;
  payout)
    body=$(object network "$2" currency "$3" to_address "$4" amount "$5" client_reference "$6")
    answer=$(call POST /v1/withdrawals "$body")
    # A repeated request is answered with `id` instead of `withdrawal_id`.
    echo "$(field 'withdrawal_id|id' <<<"$answer") $(field status <<<"$answer")" ;;
  verify)
    [[ $3 =~ ^[1-9][0-9]{0,11}$ ]] || exit 1 # arithmetic would run commands in it
    ((age = $(date +%s) - $3, age >= -300 && age <= 300)) || exit 1
    key=$(printf %s "${CPG_WEBHOOK_SECRET#whsec_}" | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \n')
    expected=$({ printf '%s.%s.' "$2" "$3"; cat; } |
      openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | openssl base64 -A)
    for signature in $4; do [ "$signature" != "v1,$expected" ] || exit 0; done
    exit 1 ;;
  *) sed -n '2,3s/^# //p' "$0" >&2; exit 2 ;;
esac
