import type { FileOutcome } from './ingest-folder.ts'

export class Tally {
  files = 0
  chunks = 0
  flagged = 0
  readonly counts: Record<FileOutcome['outcome'], number> = {
    added: 0,
    changed: 0,
    relabelled: 0,
    unchanged: 0,
    deleted: 0,
    left: 0,
    failed: 0,
  }

  add({ outcome, chunks, flagged }: FileOutcome): void {
    this.counts[outcome] += 1
    if (outcome === 'deleted') return
    this.files += 1
    if (outcome === 'added' || outcome === 'changed') this.chunks += chunks
    if (flagged) this.flagged += 1
  }

  get changes(): number {
    const { unchanged, left, failed, ...changes } = this.counts
    return Object.values(changes).reduce((sum, count) => sum + count, 0)
  }

  toString(): string {
    const nonZero = Object.entries(this.counts).filter(([, count]) => count > 0)
    return nonZero.map(([outcome, count]) => `${count} ${outcome}`).join(', ') || 'no files'
  }
}
