-- Two roles for the database of the service: ssl_owner migrates it, ssl_server serves. The role of
-- the instances can neither disable a trigger nor change the trace or the audit record.
--
-- Run it once as a superuser, connected to the new database: createdb ssl && psql -d ssl -f roles.sql
-- Then set the passwords, in psql: \password ssl_owner and \password ssl_server
--
-- For a database that one role owned until now, first run: reassign owned by <that role> to ssl_owner;
--
-- The rights on tables are granted by each migration: DATABASE_URL names ssl_owner and DATABASE_SERVER_ROLE=ssl_server.
--
-- The tests run this file.
create role ssl_owner login;
create role ssl_server login;

-- The owner sees, and may end, a session of an instance that delays a migration.
grant ssl_server to ssl_owner;

alter database ssl owner to ssl_owner;
-- No other role connects or creates temporary tables.
revoke all on database ssl from public;
grant connect on database ssl to ssl_server;

-- Databases from PostgreSQL 14 or older let every role create tables in this schema.
alter schema public owner to ssl_owner;
revoke create on schema public from public;
grant usage on schema public to ssl_server;

-- No role stores large objects: they belong to no table, so the rights above do not apply to them.
revoke execute on function lo_creat(int), lo_create(oid), lo_from_bytea(oid, bytea) from public;
