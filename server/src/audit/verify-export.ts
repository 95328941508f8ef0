import { bodyHash, bodyOf, type ChainEnd, GENESIS } from './chain.ts'
import { type Bad, ChainChecker, type Found } from './chain-checker.ts'
import { type Checkpoint, frontierOf, isGenuine } from './checkpoint.ts'
import type { ExportHeader } from './export.ts'
import { KeptCheckpoints } from './kept-checkpoints.ts'
import { Frontier } from './merkle.ts'
import type { AuditRecord } from './record.ts'
import type { Verification } from './verify.ts'

/**
 * Checks an export by itself, line by line, and against checkpoints that were kept elsewhere. Throws when the first line is no
 * export's. `publicKey` is the Workspace's, SPKI PEM.
 */
export async function verifyExport(
  lines: AsyncIterable<string> | Iterable<string>,
  publicKey: string,
  kept: readonly Checkpoint[] = [],
): Promise<Verification> {
  let check: ExportCheck | undefined
  for await (const line of lines) {
    if (check) check.line(line)
    else check = new ExportCheck(parseHeader(line), publicKey, kept)
  }
  if (check === undefined) throw new TypeError('an empty file is no audit export')
  return check.finish()
}

class ExportCheck {
  readonly #header: ExportHeader
  readonly #publicKey: string
  readonly #checker: ChainChecker
  readonly #start: ChainEnd
  readonly #kept: KeptCheckpoints
  #lines = 0
  #end: Checkpoint | undefined
  #badStart: Bad | undefined
  #badEnd: Bad | undefined

  constructor(header: ExportHeader, publicKey: string, kept: readonly Checkpoint[]) {
    const { after, workspace_id, through } = header
    const isWithin = ({ size }: Checkpoint) => size >= (after?.size ?? 0) && size <= through
    this.#kept = new KeptCheckpoints(kept.filter((one) => one.workspace_id === workspace_id && isWithin(one)))
    this.#header = header
    this.#publicKey = publicKey
    const frontier = after ? frontierOf(after) : new Frontier()
    if (after && !(after.workspace_id === workspace_id && isGenuine(after, publicKey))) this.#badStart = alteredCheckpoint(after)
    this.#start = after ? { sequence: after.size, hash: Buffer.from(after.hash, 'hex') } : GENESIS
    this.#checker = new ChainChecker(publicKey, this.#start, frontier ?? new Frontier())
  }

  line(text: string): void {
    if (text.trim() === '') return
    this.#lines += 1
    const value = parseLine(text)
    if (this.#end) this.#badEnd ??= { sequence: this.#end.size + 1, id: null, reason: 'unexpected' }
    else if (value?.object === 'audit_checkpoint') this.#endsWith(value)
    else this.#next(this.#found(value))
  }

  finish(): Verification {
    const { after, through } = this.#header
    const first = this.#start.sequence + 1
    const last = this.#end ? { sequence: this.#end.size, hash: Buffer.from(this.#end.hash, 'hex') } : undefined
    // Without its last line nothing says that the export is whole.
    if (last && !this.#badEnd) this.#checker.finish(last)
    else if (!last && through > (after?.size ?? 0))
      this.#badEnd ??= { sequence: first + this.#lines, id: null, reason: 'missing' }
    const bad = this.#badStart ?? this.#checker.bad ?? this.#badEnd
    return { ok: bad === undefined, ...this.#checker.counts, first, ...(bad && { firstBad: bad }) }
  }

  #next(found: Found): void {
    for (const checkpoint of this.#kept.takeThrough(found.sequence)) this.#checker.expect(checkpoint)
    this.#checker.next(found)
  }

  #endsWith(checkpoint: Checkpoint): void {
    this.#end = checkpoint
    const { workspace_id, through } = this.#header
    const genuine =
      checkpoint.workspace_id === workspace_id && checkpoint.size === through && isGenuine(checkpoint, this.#publicKey)
    if (genuine) this.#checker.expect(checkpoint)
    else this.#badEnd ??= alteredCheckpoint(checkpoint)
  }

  #found(record: AuditRecord | undefined): Found {
    const sequence = this.#start.sequence + this.#lines
    try {
      if (record === undefined) throw new TypeError('not a record')
      const { integrity, id, workspace_id } = record
      const hash = bodyHash(bodyOf(record))
      const claims = { sequence: integrity.sequence, prevHash: integrity.prev_hash }
      const intact = hash.toString('hex') === integrity.hash
      return { sequence: integrity.sequence, id, hash, intact, agrees: workspace_id === this.#header.workspace_id, claims }
    } catch {
      return { sequence, id: '', hash: Buffer.alloc(0), intact: false, agrees: false, claims: undefined }
    }
  }
}

const alteredCheckpoint = ({ size }: Checkpoint): Bad => ({ sequence: size, id: null, reason: 'checkpoint_altered' })

function parseHeader(line: string): ExportHeader {
  const header = parseLine(line) as Partial<ExportHeader> | undefined
  const { object, workspace_id, through, after = null } = header ?? {}
  if (object !== 'audit_export' || typeof workspace_id !== 'string' || typeof through !== 'number') {
    throw new TypeError('the first line is not that of an audit export')
  }
  return { object, workspace_id, through, after }
}

function parseLine(line: string): AuditRecord | Checkpoint | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? (value as AuditRecord | Checkpoint) : undefined
  } catch {
    return undefined
  }
}
