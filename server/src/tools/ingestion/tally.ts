import { WARNING_KINDS, type WarningKind } from '../../domains/knowledge/parsing/warning.ts'
import type { FileOutcome } from './ingest-folder.ts'

export interface WarningTally {
  readonly count: number
  readonly files: number
  /** Key of the first file with such a warning. */
  readonly example: string
}

export class Tally {
  files = 0
  chunks = 0
  flagged = 0
  /** By kind. */
  readonly #warnings = new Map<WarningKind, WarningTally>()
  readonly counts: Record<FileOutcome['outcome'], number> = {
    added: 0,
    changed: 0,
    relabelled: 0,
    unchanged: 0,
    deleted: 0,
    left: 0,
    failed: 0,
  }

  add({ key, outcome, chunks, flagged, warnings }: FileOutcome): void {
    this.counts[outcome] += 1
    if (outcome === 'deleted') return
    this.files += 1
    if (outcome === 'added' || outcome === 'changed') this.chunks += chunks
    if (flagged) this.flagged += 1
    this.#addWarnings(key, warnings ?? [])
  }

  get changes(): number {
    const { unchanged, left, failed, ...changes } = this.counts
    return Object.values(changes).reduce((sum, count) => sum + count, 0)
  }

  /** Number of warnings by kind, without kinds that have none. */
  get warningCounts(): Partial<Record<WarningKind, number>> {
    return Object.fromEntries(this.warnings.map(([kind, { count }]) => [kind, count]))
  }

  get warnings(): readonly (readonly [WarningKind, WarningTally])[] {
    return WARNING_KINDS.flatMap((kind) => {
      const tally = this.#warnings.get(kind)
      return tally ? [[kind, tally] as const] : []
    })
  }

  toString(): string {
    const nonZero = Object.entries(this.counts).filter(([, count]) => count > 0)
    return nonZero.map(([outcome, count]) => `${count} ${outcome}`).join(', ') || 'no files'
  }

  #addWarnings(key: string, warnings: FileOutcome['warnings'] & object): void {
    const counts = new Map<WarningKind, number>()
    for (const { kind, count } of warnings) counts.set(kind, (counts.get(kind) ?? 0) + count)
    for (const [kind, count] of counts) {
      const { count: before, files, example } = this.#warnings.get(kind) ?? { count: 0, files: 0, example: key }
      this.#warnings.set(kind, { count: before + count, files: files + 1, example })
    }
  }
}
