-- Searching for parts of words by index. PostgreSQL counts pg_trgm as trusted: whoever may create in the database may add it.
CREATE EXTENSION IF NOT EXISTS pg_trgm;
