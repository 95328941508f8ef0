import { randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { andThen, type MaybePromise } from '../../platform/lib/maybe-promise.ts'
import { prepareHmac } from '../../platform/lib/sha256.ts'
import { countFindings, type Finding } from '../../shared/finding.ts'
import type { Scan, ScanOptions } from './scan.ts'
import { scanInThread } from './scan-in-thread.ts'

/** Characters. Shorter texts are many and cheap to scan, and would push out the others. The hash of a longer one would hold the event loop. */
const [SHORTEST, LONGEST] = [1_000, 100_000]
/** By the keyed hash of a scope and a text, so that no text stays in memory. At most about 17 MB. */
const known = new LRUCache<string, readonly Finding[]>({ maxSize: 100_000, sizeCalculation: ({ length }) => length + 1 })
const hmac = prepareHmac(randomBytes(32))

/** Different halves of surrogate pairs have the same bytes, so two texts with them could have the same hash. */
const isKept = (text: string): boolean => text.length >= SHORTEST && text.length <= LONGEST && text.isWellFormed()

/** Scans only texts that are not known from an earlier scan in the same scope. A scan that fails makes no text known. */
export function scanNew(texts: readonly string[], { scope, ...options }: ScanOptions): MaybePromise<Scan> {
  if (scope === undefined || !texts.some(isKept)) return scanInThread(texts, options)
  const keys = texts.map((text) => (isKept(text) ? hmac(`${scope}\n${text}`, 'binary') : ''))
  const found = keys.map((key) => known.get(key))
  const unknown = texts.filter((_, index) => !found[index])
  return andThen(scanInThread(unknown, options), ({ findings: added, failures }) => {
    let next = 0
    const findings = found.map((list) => list ?? (added[next++] as readonly Finding[]))
    if (failures.length === 0) for (const [index, key] of keys.entries()) if (key) known.set(key, findings[index])
    return { findings, counts: countFindings(findings), failures }
  })
}
