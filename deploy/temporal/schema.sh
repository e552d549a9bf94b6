#!/bin/sh
# Makes the databases where they are missing and brings Temporal's schemas to this server's version.
# Connection settings come from SQL_PLUGIN, SQL_HOST, SQL_PORT, SQL_USER and SQL_PASSWORD.
set -eu

versions=/etc/temporal/schema/postgresql/v12

prepare() {
  database=$1
  schema=$2
  temporal-sql-tool --db "$database" create
  # keeps a schema that has a version already
  temporal-sql-tool --db "$database" setup-schema -v 0.0
  temporal-sql-tool --db "$database" update-schema -d "$versions/$schema/versioned"
}

prepare temporal temporal
prepare temporal_visibility visibility
# the ledger's; its tables are the workers' own business
temporal-sql-tool --db holdfast create
