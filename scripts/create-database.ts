// Part of build-database.mjs: packs an empty database with the schema of this version into `database.gz` in the given folder.
import { type Dirent, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { gzipSync } from 'node:zlib'
import { openDatabase } from '../server/src/platform/db/database.ts'
import type { PackedIndex } from '../server/src/platform/db/embedded.ts'

/** template1 and template0: 600 of 1,400 files, although nothing opens these databases. */
const UNUSED_DATABASES = ['base/1', 'base/4']

const [folder = ''] = process.argv.slice(2)
const dataDir = join(folder, 'data')
const directory = join(dataDir, 'postgres')
mkdirSync(dataDir, { recursive: true })
const database = await openDatabase({ dataDir, poolSize: 2, onError: console.error, onProgress: () => {} })
await database.close()
for (const unused of UNUSED_DATABASES) rmSync(join(directory, unused), { recursive: true })
const index: PackedIndex = { folders: [], files: [] }
const contents: Buffer[] = []
const entries = readdirSync(directory, { recursive: true, withFileTypes: true })
const isLast = ({ parentPath, name }: Dirent) => parentPath === directory && name === 'PG_VERSION'
for (const entry of [...entries.filter((entry) => !isLast(entry)), ...entries.filter(isLast)]) {
  const path = join(entry.parentPath, entry.name)
  if (entry.isDirectory()) index.folders.push(relative(directory, path))
  else {
    const content = readFileSync(path)
    index.files.push({ path: relative(directory, path), size: content.length })
    contents.push(content)
  }
}
const header = Buffer.from(JSON.stringify(index))
const headerLength = Buffer.alloc(4)
headerLength.writeUInt32BE(header.length)
writeFileSync(join(folder, 'database.gz'), gzipSync(Buffer.concat([headerLength, header, ...contents])))
rmSync(dataDir, { recursive: true })
