# Sets the passwords of the roles of ../postgres/roles.sql in the container of compose.yaml, when its database is created.
psql --set=ON_ERROR_STOP=1 --username=postgres --dbname=ssl --set=owner="$OWNER_PASSWORD" --set=server="$SERVER_PASSWORD" <<'SQL'
alter role ssl_owner password :'owner';
alter role ssl_server password :'server';
SQL
