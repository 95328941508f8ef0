import { createReadStream } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { ExportHeader } from '../audit/verify/export.ts'
import { parseHeader, verifyExport } from '../audit/verify/verify-export.ts'
import { linesOf } from '../lib/lines.ts'
import { chooseWorkspace } from './choose-workspace.ts'
import { describeVerification } from './describe-verification.ts'
import { readKeptCheckpoints } from './kept-checkpoint-files.ts'
import { CommandFailure, type Terminal } from './terminal.ts'
import { withDatabase } from './with-database.ts'
import { workspaceKeys } from './workspace-keys.ts'

/** `gatehouse audit public-key`: prints the key that verifies exports. Give it to verifiers in advance. */
export const auditPublicKey = (terminal: Terminal, { workspace: name }: { workspace?: string }): Promise<void> =>
  withDatabase(terminal, async (context) => {
    const { id } = await chooseWorkspace(context.database.db, name)
    const { publicKey } = await workspaceKeys(context, id)
    terminal.out(publicKey.trimEnd())
  })

/** `gatehouse audit verify-export FILES`: verifies exports with the public key, on any machine, and that they follow each other. */
export async function auditVerifyExports(
  { out }: Terminal,
  files: readonly string[],
  { publicKey, kept = [] }: { publicKey: string; kept?: readonly string[] },
): Promise<void> {
  const key = await readFile(publicKey, 'utf8').catch((error) => unreadable(publicKey, error))
  const checkpoints = await readKeptCheckpoints(kept)
  const headers = await Promise.all(files.map(async (file) => ({ file, header: await readHeader(file) })))
  const inOrder = headers.toSorted((a, b) => startOf(a.header) - startOf(b.header))
  let areValid = true
  for (const [index, { file, header }] of inOrder.entries()) {
    const gap = describeGap(inOrder[index - 1]?.header, header)
    if (gap !== undefined) out(`${file}: ${gap}`)
    const verification = await verifyExport(readLines(file), key, checkpoints).catch((error) => unreadable(file, error))
    out(`${file}: ${describeVerification(verification)}`)
    areValid &&= verification.ok && gap === undefined
  }
  if (!areValid) throw new CommandFailure(`${files.length === 1 ? 'the export was' : 'the exports were'} altered or incomplete`)
}

const startOf = ({ after }: ExportHeader): number => after?.size ?? 0

/** Undefined: the export begins where the previous one ends, and has its records. */
function describeGap(previous: ExportHeader | undefined, next: ExportHeader): string | undefined {
  if (!previous) return undefined
  if (previous.workspace_id !== next.workspace_id) return `it is of another Workspace (${next.workspace_id})`
  const first = startOf(next) + 1
  if (first <= previous.through + 1) return undefined
  return `records ${previous.through + 1} to ${first - 1} are missing before it`
}

async function readHeader(file: string): Promise<ExportHeader> {
  try {
    for await (const line of readLines(file)) return parseHeader(line)
    throw new TypeError('the file is empty; expected an audit export')
  } catch (error) {
    return unreadable(file, error as NodeJS.ErrnoException)
  }
}

/** Records hold hashes and random ids, so an export compresses to about a fiftieth. */
const MAX_COMPRESSION = 200
/** For small files. */
const MIN_DECOMPRESSED_BYTES = 1_048_576

/** Throws what reading or decompressing throws. */
function readLines(file: string): AsyncGenerator<string> {
  const source = createReadStream(file)
  if (!file.endsWith('.gz')) return linesOf(source)
  // The callback only prevents an unhandled error: the error also ends the decompressed stream.
  return linesOf(
    withinCompression(
      file,
      pipeline(source, createGunzip(), () => {}),
    ),
  )
}

/** Throws a TypeError if the file decompresses to more than an export can. */
async function* withinCompression(file: string, chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let left = Math.max(MIN_DECOMPRESSED_BYTES, (await stat(file)).size * MAX_COMPRESSION)
  for await (const chunk of chunks) {
    left -= chunk.length
    if (left < 0) throw new TypeError(`it decompresses to more than ${MAX_COMPRESSION} times its size, which no export does`)
    yield chunk
  }
}

function unreadable(file: string, error: NodeJS.ErrnoException): never {
  throw new CommandFailure(`${file}: ${error.code ? `cannot be read (${error.code})` : error.message}`)
}
