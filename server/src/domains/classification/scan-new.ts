import { randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { andThen, type MaybePromise } from '../../platform/lib/maybe-promise.ts'
import { prepareHmac } from '../../platform/lib/sha256.ts'
import { countFindings, type Finding } from '../../shared/finding.ts'
import type { Scan, ScanOptions } from './scan.ts'
import { scanInThread } from './scan-in-thread.ts'

/** Characters. A shorter text is scanned in about the time that its hash takes. */
const SHORTEST = 1_000
/** By the keyed hash of a scope and a text, so that no text stays in memory. At most about 15 MB. */
const known = new LRUCache<string, readonly Finding[]>({ maxSize: 100_000, sizeCalculation: ({ length }) => length + 1 })
const hmac = prepareHmac(randomBytes(32))

/** Scans only texts that are not known from an earlier scan in the same scope. A scan that fails makes no text known. */
export function scanNew(texts: readonly string[], { scope, ...options }: ScanOptions): MaybePromise<Scan> {
  const isLong = ({ length }: string): boolean => length >= SHORTEST
  if (scope === undefined || !texts.some(isLong)) return scanInThread(texts, options)
  const keys = texts.map((text) => (isLong(text) ? hmac(`${scope}\n${text}`, 'binary') : ''))
  const found = keys.map((key) => known.get(key))
  const unknown = texts.filter((_, index) => !found[index])
  return andThen(scanInThread(unknown, options), ({ findings: added, failures }) => {
    const next = added.values()
    const findings = found.map((list) => list ?? next.next().value ?? [])
    for (const [index, key] of keys.entries()) if (key && failures.length === 0) known.set(key, findings[index])
    return { findings, counts: countFindings(findings), failures }
  })
}
