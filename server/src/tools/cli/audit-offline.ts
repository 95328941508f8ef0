import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { type ExportHeader, parseHeader, verifyExport } from '../../domains/audit/verify/export.ts'
import { gunzipFile } from '../../platform/lib/gunzip-file.ts'
import { linesOf } from '../../platform/lib/lines.ts'
import { chooseWorkspace } from './choose-workspace.ts'
import { CommandFailure, type Terminal } from './terminal.ts'
import { describeVerification, readKeptCheckpoints, unreadable, workspaceKeys } from './verification.ts'
import { withDatabase } from './with-database.ts'

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
const readLines = (file: string): AsyncGenerator<string> =>
  linesOf(file.endsWith('.gz') ? gunzipFile(file, MAX_COMPRESSION) : createReadStream(file))
