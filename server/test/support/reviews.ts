import { decideHold } from '../../src/domains/review/decision-store.ts'
import { claimRelease, completeRelease, type ReleaseClaim } from '../../src/domains/review/release-store.ts'
import type { HoldContent, Lease, ReleaseResult, ReviewOwner } from '../../src/domains/review/review.ts'
import type { ReviewItem } from '../../src/domains/review/review-row.ts'
import { getReview, type NewReview, openEscalation, openHold, readReviewContent } from '../../src/domains/review/review-store.ts'
import type { Database, Db, Tx } from '../../src/platform/db/database.ts'
import { fromId, newId } from '../../src/platform/lib/id.ts'
import { secretBox } from '../../src/platform/lib/secret-box.ts'
import { closeAfterAll } from './close-after-all.ts'
import { seedApplication, seedWorkspace, TEST_SECRET_KEY } from './seed.ts'

/** Encrypts the content of review items. */
export const REVIEW_BOX = secretBox(TEST_SECRET_KEY, 'review')

/** Opening time of the items, far in the future, so that no cleanup job on the shared database removes them. */
export const OPENED_AT = new Date('2096-03-02T09:00:00Z')
export const afterOpening = (ms: number): Date => new Date(OPENED_AT.getTime() + ms)

/** A lease of one minute for `claimRelease`. */
export const lease = (now: Date): Lease => ({ now, leaseMs: 60_000 })

/** A hold with a value in every field and its own request hash; `change` replaces fields. */
export const newReview = (change: Partial<NewReview> = {}): NewReview => ({
  id: newId('rev'),
  userId: 'u-requester',
  sessionId: null,
  endpoint: 'chat',
  point: 'input',
  rules: [{ id: 'ask-first', point: 'input', verdict: 'require_approval' }],
  classification: 'confidential',
  riskLevel: 'medium',
  findings: { 'pii.email': 1, pii: 1 },
  requestHash: crypto.getRandomValues(Buffer.alloc(32)),
  policy: { id: newId('pol'), name: 'acme', version: 3, sha256: 'ab'.repeat(32) },
  model: 'mock-model',
  auditId: newId('aud'),
  createdAt: OPENED_AT,
  content: { messages: [{ role: 'user', content: 'the sealed words' }] },
  ...change,
})

export async function seedOwner(db: Db): Promise<ReviewOwner> {
  const { workspaceId } = await seedWorkspace(db)
  const { applicationId } = await seedApplication(db, workspaceId)
  return { workspaceId, applicationId }
}

export const transact = <T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> => db.transaction().execute(work)

export async function seedHold(db: Db, owner: ReviewOwner, change: Partial<NewReview> = {}): Promise<ReviewItem> {
  const { item } = await transact(db, (tx) => openHold(tx, owner, newReview(change), REVIEW_BOX))
  return item
}

/** The review items of a new Application, in a database that is closed after the last test. */
export async function openReviews(open: () => Promise<Database>) {
  const database = await closeAfterAll(open())
  const { db } = database
  const owner = await seedOwner(db)
  const approve = { verdict: 'approved', by: 'op-1', comment: null, now: OPENED_AT } as const
  const claim = (item: Pick<ReviewItem, 'id' | 'requestHash'>, at: Date | Lease = OPENED_AT, from = owner) =>
    claimRelease(db, from, item, at instanceof Date ? lease(at) : at, REVIEW_BOX)
  const decide = (id: string, change: Partial<Parameters<typeof decideHold>[3]> = {}, { workspaceId } = owner) =>
    transact(db, (tx) => decideHold(tx, workspaceId, id, { ...approve, ...change }))
  return {
    ...{ database, db, owner, claim, decide },
    hold: (change?: Partial<NewReview>) => seedHold(db, owner, change),
    async approved(change?: Partial<NewReview>): Promise<ReviewItem> {
      const { id, createdAt } = await seedHold(db, owner, change)
      const decided = await decide(id, { now: createdAt })
      if (decided.kind !== 'decided') throw new Error(decided.kind)
      return decided.item
    },
    escalation: (change?: Partial<NewReview>, from = owner) =>
      transact(db, (tx) => openEscalation(tx, from, newReview(change), REVIEW_BOX)),
    async mustClaim(item: ReviewItem, at?: Date | Lease): Promise<ReleaseClaim> {
      const claimed = await claim(item, at)
      if (claimed?.kind !== 'claimed') throw new Error(`Claim failed: ${claimed?.kind}`)
      return claimed.claim
    },
    complete: (claim: ReleaseClaim, result: ReleaseResult, now: Date, releasedAuditId = newId('aud')) =>
      transact(db, (tx) => completeRelease(tx, owner, claim, { result, releasedAuditId, now }, REVIEW_BOX)),
    find: (id: string, now = OPENED_AT, { workspaceId } = owner) => getReview(db, workspaceId, id, now),
    read: (id: string, now = OPENED_AT, { workspaceId } = owner, box = REVIEW_BOX): Promise<HoldContent | undefined> =>
      readReviewContent(db, workspaceId, id, now, box),
    /** The row as text, with bytes in hexadecimal digits. */
    async rowText(id: string): Promise<string> {
      const { rows } = await database.pool.query('select t::text as text from review_item t where id = $1', [fromId('rev', id)])
      return rows[0].text
    },
  }
}
