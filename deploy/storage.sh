#!/bin/sh
# Create the two buckets and the three accounts in the storage of compose.yaml; safe to repeat.
#
# Web can read and write plain files, and write sealed ones without reading them. Workers can do everything. Airlock
# workers can read inputs and images, and write outputs of software; they can list, replace and remove nothing else.
set -eu
until mc alias set store http://storage:9000 "$MINIO_ROOT_USER" "$MINIO_ROOT_PASSWORD"; do sleep 1; done
mc mb --ignore-existing "store/$S3_BUCKET" "store/$S3_SEALED_BUCKET"

everything="\"arn:aws:s3:::$S3_BUCKET\", \"arn:aws:s3:::$S3_BUCKET/*\""
sealed="\"arn:aws:s3:::$S3_SEALED_BUCKET\", \"arn:aws:s3:::$S3_SEALED_BUCKET/*\""
cat >/tmp/web.json <<END
{"Version": "2012-10-17", "Statement": [
  {"Effect": "Allow", "Action": ["s3:*"], "Resource": [$everything]},
  {"Effect": "Allow", "Action": ["s3:PutObject"], "Resource": ["arn:aws:s3:::$S3_SEALED_BUCKET/gold/*"]}]}
END
cat >/tmp/worker.json <<END
{"Version": "2012-10-17", "Statement": [
  {"Effect": "Allow", "Action": ["s3:*"], "Resource": [$everything, $sealed]}]}
END
cat >/tmp/airlock.json <<END
{"Version": "2012-10-17", "Statement": [
  {"Effect": "Allow", "Action": ["s3:GetObject"],
   "Resource": ["arn:aws:s3:::$S3_BUCKET/inputs/*", "arn:aws:s3:::$S3_BUCKET/images/*"]},
  {"Effect": "Allow", "Action": ["s3:PutObject"], "Resource": ["arn:aws:s3:::$S3_BUCKET/software/*"]}]}
END
for who in web worker airlock; do
    mc admin policy create store "$who" "/tmp/$who.json"
done
mc admin user add store "$S3_ACCESS_KEY_ID" "$S3_SECRET_ACCESS_KEY"
mc admin user add store "$WORKER_S3_ACCESS_KEY_ID" "$WORKER_S3_SECRET_ACCESS_KEY"
# The client may fail if the policy is already attached. /readyz reports an account without permissions.
mc admin policy attach store web --user "$S3_ACCESS_KEY_ID" || true
mc admin policy attach store worker --user "$WORKER_S3_ACCESS_KEY_ID" || true
if [ -n "$AIRLOCK_S3_ACCESS_KEY_ID" ]; then
    mc admin user add store "$AIRLOCK_S3_ACCESS_KEY_ID" "$AIRLOCK_S3_SECRET_ACCESS_KEY"
    mc admin policy attach store airlock --user "$AIRLOCK_S3_ACCESS_KEY_ID" || true
fi
