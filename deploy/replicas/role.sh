#!/bin/sh
# Creates the database of Bindery and a role that owns one schema in it. The image of PostgreSQL runs this at its first
# start, as its superuser.
set -eu
psql --username "$POSTGRES_USER" --set ON_ERROR_STOP=1 --set password="$(cat "$POSTGRES_PASSWORD_FILE")" <<'SQL'
CREATE ROLE bindery LOGIN PASSWORD :'password';
CREATE DATABASE bindery;
\connect bindery
CREATE SCHEMA bindery AUTHORIZATION bindery;
SQL
