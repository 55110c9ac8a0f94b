#!/bin/sh
# Back up a running site: deploy/backup.sh FOLDER. The site goes on meanwhile.
#
# The database first and the files second: a file is stored before the row that names it, so that every row of
# the dump finds its file. Outside of containers set PG_DUMP and MANAGE to the commands that reach the database
# and a worker's environment, as in
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
# An earlier backup in this folder is none any more from now on.
rm -f "$folder/finished"
$dump --format=custom >"$folder/database.part"
mv "$folder/database.part" "$folder/database"
$manage files export >"$folder/files.part"
mv "$folder/files.part" "$folder/files.tar"
# What makes the backup whole comes last.
date -u +%Y-%m-%dT%H:%M:%SZ >"$folder/finished"
echo "Backed up to $folder. Keep the private key of the gold files (deploy/keys) with it: without it gold is lost."
