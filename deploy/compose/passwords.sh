# Sets the passwords of the roles of ../postgres/roles.sql in the container of compose.yaml, when its database is created.
psql --set=ON_ERROR_STOP=1 --username=postgres --dbname=ssl <<'SQL'
\getenv owner OWNER_PASSWORD
\getenv server SERVER_PASSWORD
alter role ssl_owner password :'owner';
alter role ssl_server password :'server';
SQL
