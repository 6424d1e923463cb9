#!/bin/bash
# For root: ssl-backend operator <command>…, ssl-backend migrate <version>, ssl-backend install <version>
set -euo pipefail
folder=/opt/ssl-backend

as_owner() {
  local account
  account=${SUDO_USER:-$(logname)}
  # Files of commands without a path are written here.
  cd /var/lib/ssl-operator
  set -a
  . /etc/ssl-backend/owner.env
  SUDO_USER=$account
  runuser -u ssl-operator -- node "$folder/$1/dist/program/main.js" "${@:2}"
}

is_ready() { curl -fsS --retry 60 --retry-delay 1 --retry-all-errors "http://127.0.0.1:$1/health/ready"; }

install_version() {
  cd "$folder/$1"
  ln -sfn "$1" $folder/current
  cp deploy/systemd/ssl-backend@.service /etc/systemd/system/
  systemctl daemon-reload
  systemctl enable ssl-backend@1 ssl-backend@2
  systemctl restart ssl-backend@1
  is_ready 3001
  # nginx sends an instance no requests for 10 seconds after it stopped.
  sleep 10
  systemctl restart ssl-backend@2
  is_ready 3002
}

case "${1-} ${2-}" in
  'operator '*) as_owner current "$@" ;;
  'migrate '?*) as_owner "ssl-backend-$2" migrate ;;
  'install '?*) install_version "ssl-backend-$2" ;;
  *) sed -n 2p "$0" >&2 && exit 2 ;;
esac
