#!/bin/sh
# Back up a running site: deploy/backup.sh FOLDER.
#
# The database first and the files second: a file is stored before its row is written, so every row of the dump
# has its file. Without containers, set PG_DUMP and MANAGE to commands with access to the database and with the
# environment of a worker, for example
#   PG_DUMP="pg_dump $DATABASE_URL" MANAGE="python manage.py" deploy/backup.sh /backups/monday
set -eu
folder=${1:?usage: deploy/backup.sh FOLDER}
compose="docker compose -f deploy/compose.yaml --env-file deploy/environment"
dump=${PG_DUMP:-$compose exec -T postgres pg_dump --username arboretum arboretum}
manage=${MANAGE:-$compose exec -T worker python manage.py}

umask 077
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
cd "$(dirname "$0")/.."
# From now on, an earlier backup in this folder is incomplete.
rm -f "$folder/finished"
$dump --format=custom >"$folder/database.part"
mv "$folder/database.part" "$folder/database"
$manage files export >"$folder/files.part"
mv "$folder/files.part" "$folder/files.tar"
# Written last: it marks the backup as complete.
date -u +%Y-%m-%dT%H:%M:%SZ >"$folder/finished"
echo "Backed up to $folder. Also back up the private key of gold (deploy/keys): without it, gold is lost."
