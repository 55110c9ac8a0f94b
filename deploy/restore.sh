#!/bin/sh
# Restore a backup into an empty site: deploy/restore.sh FOLDER. Only postgres, redis, storage and buckets may be
# running, without data; start the other services afterwards. README.md has the commands.
#
# Without containers, set PG_RESTORE and MANAGE as in backup.sh.
set -eu
folder=${1:?usage: deploy/restore.sh FOLDER}
compose="docker compose -f deploy/compose.yaml --env-file deploy/environment"
restore=${PG_RESTORE:-$compose exec -T postgres pg_restore --username arboretum --dbname arboretum}
manage=${MANAGE:-$compose run --rm -T worker python manage.py}

[ -f "$folder/finished" ] || { echo "$folder does not contain a complete backup." >&2; exit 1; }
folder=$(cd "$folder" && pwd)
cd "$(dirname "$0")/.."
$restore --no-owner --exit-on-error <"$folder/database"
$manage files import <"$folder/files.tar"
$manage files check
# The broker is empty: all waiting work is dispatched again.
$manage sweep --now
