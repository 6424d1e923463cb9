-- The role of the data source PostgreSQL of Grafana, for ../grafana/organizations.json. It counts orders and requests by
-- organization, and reads no column with patient data.
--
-- Run it once as a superuser: psql -d ssl -f dashboard.sql. Then set the password: \password ssl_dashboard
--
-- The tests run this file.
create role ssl_dashboard login connection limit 4;
alter role ssl_dashboard set statement_timeout = '20s';
grant connect on database ssl to ssl_dashboard;
grant usage on schema public to ssl_dashboard;
grant select (id, buyer_organization, seller_organization, status, created_at, deleted_at) on orders to ssl_dashboard;
grant select (id, recorded, organization, user_type, problem) on audit_events to ssl_dashboard;
