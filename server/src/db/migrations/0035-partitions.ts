import type { Kysely } from 'kysely'
import { partitionSmallTable } from '../partitions/partition-table.ts'

/** Audit records by month. A table that is large already is partitioned by a job (partitions/partition-job.ts). */
export async function up(db: Kysely<unknown>): Promise<void> {
  await partitionSmallTable(db, 'audit_record')
}
