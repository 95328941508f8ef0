import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { useAuditLog } from '../../../test/support/audit-log.ts'
import { freshDatabases } from '../../../test/support/fresh-database.ts'
import { countWaitingFor } from '../../../test/support/lock-waits.ts'
import { TEST_SECRET_KEY } from '../../../test/support/seed.ts'
import { openFileStore } from '../../domains/messaging/attachments/file-store.ts'
import { exportData } from './export.ts'

describe.each(freshDatabases())('export during retention on $name', ({ name, open }) => {
  const log = useAuditLog(open, { groups: [5] })

  test.runIf(name === 'postgresql')(
    'exportData: records and the ends of their logs are of one time when a month is emptied',
    async () => {
      const { db, pool } = log().database
      const folder = mkdtempSync(join(tmpdir(), 'gatehouse-export-'))
      const retention = await pool.connect()
      try {
        await retention.query('begin; lock table audit_record_before in access exclusive mode')
        const files = openFileStore({ kind: 'folder', path: join(folder, 'files') })
        const deps = { db, files, secrets: { secretKey: TEST_SECRET_KEY }, clock: { now: () => new Date() } }
        const path = join(folder, 'export.gz')
        const exported = exportData(deps, { path, onProgress: () => {} })
        await expect.poll(() => countWaitingFor(pool, retention)).toBe(1)
        await retention.query('truncate audit_record_before; update audit_head set sequence = 0; commit')
        await exported
        const { audit_record: records, audit_head: ends } = readTables(path)
        expect(records?.rows).toEqual([])
        expect(ends?.rows.map((row) => row[ends.columns.indexOf('sequence')])).toEqual(['0'])
      } finally {
        retention.release(true)
        rmSync(folder, { recursive: true })
      }
    },
  )
})

interface Table {
  readonly columns: readonly string[]
  readonly rows: (readonly (string | null)[])[]
}

function readTables(path: string): Readonly<Record<string, Table>> {
  const tables: Record<string, Table> = {}
  let rows: Table['rows'] = []
  for (const line of gunzipSync(readFileSync(path)).toString().trimEnd().split('\n')) {
    const part = JSON.parse(line)
    if (part.table) {
      rows = []
      tables[part.table] = { columns: part.columns, rows }
    } else if (Array.isArray(part)) rows.push(part)
  }
  return tables
}
