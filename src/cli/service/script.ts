/** One shell script does all of it, so what is shown is what is done. */

/** What runs, and as whom. Paths are absolute and need no quotes. */
export interface Service {
  readonly user: string;
  /** Where it runs. */
  readonly folder: string;
  /** The database's folder, which only the user may enter. */
  readonly data: string;
  /** The command line that serves. */
  readonly serve: string;
  /** The program for commands, which follow it. */
  readonly cpg: string;
  /** Fetches what the program needs, so that its first start doesn't. */
  readonly prepare: string | undefined;
  /** What its settings begin with. */
  readonly settings: readonly string[];
}

export const SETTINGS = "/etc/cpg.env";

/** The last one counts, as for systemd. */
export function settingIn(text: string, name: string): string | undefined {
  const line = text.split("\n").findLast((one) => one.startsWith(`${name}=`));
  return line?.slice(name.length + 1).trim().replace(/^(["'])(.*)\1$/, "$2") || undefined;
}

/** In front of all paths of the system; empty except for a trial. */
type Root = string;

const MARK = "CPG's install-service wrote this";
const UNITS = ["cpg.service", "cpg-backup.service", "cpg-backup.timer"];
const BACKUPS_KEPT_DAYS = 7;

function pathsIn(root: Root) {
  return {
    units: `${root}/etc/systemd/system`,
    settings: `${root}${SETTINGS}`,
    wrapper: `${root}/usr/local/bin/cpg`,
    cache: `${root}/var/cache/cpg`,
    backups: `${root}/var/backups/cpg`,
  };
}

export function installScript(service: Service, root: Root = ""): string {
  const { user, folder, data, prepare } = service;
  const { units, settings, wrapper, cache, backups } = pathsIn(root);
  const [server, backup, timer] = UNITS;
  const file = (path: string, text: string, mode = "0644") =>
    `put ${path} ${mode} <<'END'\n${text}END\n`;
  return `# Installs CPG as a service of this machine. To be run as root.
set -eu
PATH=$PATH:/usr/sbin:/sbin

# What somebody else wrote there is kept beside it.
put() {
  if [ -e "$1" ] && ! head -n 2 "$1" | grep -q "${MARK}"; then mv "$1" "$1.before"; fi
  install -D -m "$2" /dev/null "$1"
  cat > "$1"
}

# The user, whom nobody can sign in as, and the folders that only this user may enter.
id ${user} > /dev/null 2>&1 ||
  useradd --system --user-group --home-dir ${data} --no-create-home --shell /usr/sbin/nologin ${user}
install -d -m 0700 ${data} ${backups}
install -d -m 0755 ${cache}
chown -R ${user}: ${data} ${backups} ${cache}

# The settings. They are written once, and only root can read them.
[ -e ${settings} ] || ${file(settings, settingsText(service), "0600")}
# The command: "cpg status" is this service's, whoever types it.
${file(wrapper, wrapperText(service, root), "0755")}
# The service, and a backup every hour, of which those of ${BACKUPS_KEPT_DAYS} days are kept.
${file(`${units}/${server}`, serverUnit(service, root))}
${file(`${units}/${backup}`, backupUnit(service, root))}
${file(`${units}/${timer}`, TIMER)}
${
    prepare === undefined ? "" : `# What the program needs is fetched now.
cd ${folder}
${becoming(service, root)} ${prepare}

`
  }systemctl daemon-reload
systemctl enable --now cpg.service cpg-backup.timer
echo "CPG runs. Its log, with the link that sets it up: journalctl -u cpg -o cat"
echo "Its settings: ${settings}, then: systemctl restart cpg"
`;
}

/** What can't be made again stays. */
export function removeScript({ user, data }: Service, root: Root = ""): string {
  const { units, settings, wrapper, cache, backups } = pathsIn(root);
  const files = [...UNITS.map((name) => `${units}/${name}`), wrapper];
  return `# Takes the service of CPG away. To be run as root.
set -eu
PATH=$PATH:/usr/sbin:/sbin
systemctl disable --now cpg.service cpg-backup.timer || true
for file in ${files.join(" ")}; do
  if [ -e "$file" ] && head -n 2 "$file" | grep -q "${MARK}"; then rm "$file"; fi
  if [ -e "$file.before" ] && [ ! -e "$file" ]; then mv "$file.before" "$file"; fi
done
rm -rf ${cache}
systemctl daemon-reload
echo "CPG is no service any more. Money depends on what is left: ${data}, ${settings} and ${backups}."
echo "Once you have copies of them elsewhere: rm -r ${data} ${settings} ${backups}; userdel ${user}"
`;
}

function settingsText({ settings }: Service): string {
  return `# Settings of the service and of the command "cpg": NAME=value, one a line.
# docs/operate.md explains them. After a change: systemctl restart cpg
#CPG_PUBLIC_URL=https://pay.example.com
#CPG_TRUSTED_PROXIES=127.0.0.1
${settings.map((line) => `${line}\n`).join("")}`;
}

function wrapperText(service: Service, root: Root): string {
  const { settings } = pathsIn(root);
  return `#!/bin/sh
# ${MARK}. It runs a command of CPG as the service's user, with its settings.
set -eu
[ "$(id -u)" = 0 ] || exec sudo -- "$0" "$@"
while IFS= read -r line || [ -n "$line" ]; do
  case $line in [A-Z]*=*) ;; *) continue ;; esac
  name=\${line%%=*}
  value=\${line#*=}
  case $name in *[!A-Z0-9_]*) continue ;; esac
  case $value in
    \\"*\\") value=\${value#\\"} && value=\${value%\\"} ;;
    \\'*\\') value=\${value#\\'} && value=\${value%\\'} ;;
  esac
  export "$name=$value"
done < ${settings}
cd ${service.folder}
umask 077
exec ${becoming(service, root)} ${service.cpg} "$@"
`;
}

function becoming({ user, data }: Service, root: Root): string {
  const { cache } = pathsIn(root);
  return `setpriv --reuid=${user} --regid="$(id -g ${user})" --init-groups env HOME=${data} ` +
    `DENO_DIR=${cache} DENO_NO_UPDATE_CHECK=1`;
}

function serverUnit(service: Service, root: Root): string {
  return `# ${MARK}.
[Unit]
Description=CPG payment gateway
Wants=network-online.target
After=network-online.target

[Service]
ExecStart=${service.serve}
Restart=always
RestartSec=2
TimeoutStopSec=10
ReadWritePaths=${service.data}
${confined(service, root)}
[Install]
WantedBy=multi-user.target
`;
}

function backupUnit(service: Service, root: Root): string {
  const { backups } = pathsIn(root);
  const { data, cpg } = service;
  const file = `${backups}/cpg-$$(date -u +%%Y%%m%%dT%%H%%M%%SZ).db`;
  return `# ${MARK}.
[Unit]
Description=Backup of CPG, checked by a trial restore

[Service]
Type=oneshot
ExecStart=/bin/sh -c 'exec ${cpg} backup "${file}"'
ExecStartPost=/usr/bin/find ${backups} -name "cpg-*.db" -mtime +${BACKUPS_KEPT_DAYS} -delete
ReadWritePaths=${data} ${backups}
${confined(service, root)}`;
}

const TIMER = `# ${MARK}.
[Unit]
Description=Backup of CPG every hour

[Timer]
OnCalendar=hourly
RandomizedDelaySec=5min
Persistent=true

[Install]
WantedBy=timers.target
`;

/** Who it is and what it may do. */
function confined({ user, folder }: Service, root: Root): string {
  const { settings, cache } = pathsIn(root);
  return `User=${user}
WorkingDirectory=${folder}
EnvironmentFile=-${settings}
Environment=DENO_DIR=${cache} DENO_NO_UPDATE_CHECK=1
CacheDirectory=cpg
UMask=0077
NoNewPrivileges=yes
CapabilityBoundingSet=
AmbientCapabilities=
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
PrivateDevices=yes
PrivateUsers=yes
ProtectClock=yes
ProtectControlGroups=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectProc=invisible
RestrictAddressFamilies=AF_INET AF_INET6 AF_NETLINK AF_UNIX
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallErrorNumber=EPERM
`;
}
