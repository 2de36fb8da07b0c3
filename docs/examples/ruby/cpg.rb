# address NETWORK CURRENCY ORDER | payout NETWORK CURRENCY ADDRESS AMOUNT REFERENCE
# verify ID TIMESTAMP SIGNATURE < body
require "json"
require "net/http"
require "openssl"

URL = ENV["CPG_URL"]
LOST = [SystemCallError, IOError, Timeout::Error, OpenSSL::SSL::SSLError].freeze

def call(method, path, body = nil)
  text = body ? JSON.generate(body) : ""
  (1..4).each do |tries|
    answer = send_once(method, path, text)
    status = answer&.code.to_i
    return JSON.parse(answer.body)["data"] if status == 200
    # Anything else is a proxy's answer.
    is_ours = answer&.body.to_s.include?('"success":false')
    abort reason_of(JSON.parse(answer.body)) if is_ours && ![429, 500, 503].include?(status)
    # Nobody knows whether it arrived. The reference makes repeating it safe.
    sleep 2**tries
  end
  abort "No answer from #{URL}. It may have been carried out: ask again with the same reference."
end

def send_once(method, path, text)
  uri = URI(URL + path)
  now = Time.now.to_i.to_s
  where, query = path.split("?", 2)
  lines = [now, method, where, query, OpenSSL::Digest::SHA256.hexdigest(text)].join("\n")
  request = Net::HTTP.const_get(method.capitalize).new(uri, "Content-Type" => "application/json",
    "X-CPG-Key" => ENV["CPG_KEY_ID"], "X-CPG-Timestamp" => now,
    "X-CPG-Signature" => OpenSSL::HMAC.hexdigest("SHA256", ENV["CPG_SECRET"], lines))
  options = { use_ssl: uri.scheme == "https", open_timeout: 5, read_timeout: 20, max_retries: 0 }
  Net::HTTP.start(uri.host, uri.port, **options) { |http| http.request(request, text) }
rescue *LOST
  nil
end

def reason_of(answer) = [answer["message"], *answer["error"]["fields"]&.map { |one| "(#{one.values.join(": ")})" }].join(" ")

def genuine?(id, timestamp, signatures, body)
  key = ENV["CPG_WEBHOOK_SECRET"].delete_prefix("whsec_").unpack1("m")
  return false if key.empty? || (Time.now.to_i - timestamp.to_i).abs > 300
  expected = "v1," + [OpenSSL::HMAC.digest("SHA256", key, "#{id}.#{timestamp}.".b + body)].pack("m0")
  signatures.split(" ").any? { |one| OpenSSL.secure_compare(expected, one) }
end

command, *args = ARGV
case command
when "address"
  body = %w[network currency idempotency_key].zip(args).to_h
  puts call("POST", "/v1/deposit-addresses", body)["address"]
when "payout"
  names = %w[network currency to_address amount client_reference]
  sent = call("POST", "/v1/withdrawals", names.zip(args).to_h)
  # A repeated request is answered with `id` instead of `withdrawal_id`.
  puts "#{sent["withdrawal_id"] || sent["id"]} #{sent["status"]}"
when "verify"
  exit genuine?(*args, $stdin.binmode.read)
end
