// Part of build-database.mjs: creates an empty database with the schema of this version in the folder `postgres` of the given folder.
import { chmodSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { openDatabase } from '../server/src/platform/db/database.ts'

/** template1 and template0: 600 of 1,400 files, although nothing opens these databases. */
const UNUSED_DATABASES = ['1', '4']

const [folder = ''] = process.argv.slice(2)
const database = await openDatabase({ dataDir: folder, poolSize: 2, onError: console.error, onProgress: () => {} })
await database.close()
rmSync(join(folder, 'run'), { recursive: true })
for (const oid of UNUSED_DATABASES) rmSync(join(folder, 'postgres/base', oid), { recursive: true })
// Another user may install a release than the one that runs it.
for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
  chmodSync(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o755 : 0o644)
