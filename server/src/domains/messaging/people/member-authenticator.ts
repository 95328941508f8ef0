import { timingSafeEqual } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '../../../platform/db/database.ts'
import type { Signal } from '../../../platform/db/signal.ts'
import { uuidOfWorkspace } from '../../../platform/db/values.ts'
import { Cache, type CacheStatistics } from '../../../platform/lib/cache.ts'
import type { Clock } from '../../../platform/lib/clock.ts'
import { describeMisplacedCredential, readBearer } from '../../../platform/lib/credential.ts'
import { CredentialCache, type CredentialCacheOptions } from '../../../platform/lib/credential-cache.ts'
import { toId } from '../../../platform/lib/id.ts'
import type { MaybePromise } from '../../../platform/lib/maybe-promise.ts'
import { ANONYMOUS_USER } from '../../../shared/principal.ts'
import { Refusal } from '../../../shared/refusal.ts'
import { type UserTokenVerifier, WORKSPACES_TOPIC } from '../../identity/user-token.ts'
import { generatedUsername, governDeclared } from '../governance/governed-fields.ts'
import type { UnrecordedDecisionDeps } from '../governance/text-decision.ts'
import { findTokenHolder } from './access-token-store.ts'
import { findContact } from './contact-store.ts'
import { ACCESS_TOKENS_TOPIC, type Member } from './member.ts'

/** Whether the user of a JWT is admitted. `key`: JSON of `[workspaceId, userId]`. */
type IsAdmitted = (key: string) => MaybePromise<boolean>

type TokenHolder = { readonly member: Member } | 'revoked'

interface Deps extends UnrecordedDecisionDeps {
  readonly db: Db
  readonly signal: Signal
  readonly clock: Clock
  readonly userTokens: Pick<UserTokenVerifier, 'verify'>
  readonly credentials?: CredentialCacheOptions
}

/** Authenticates users by an access token (`gu_…`) or by a user token (JWT) that a Workspace's keys verify (MSG-AUTH-1, MSG-AUTH-2). */
export class MemberAuthenticator {
  readonly #deps: Deps
  readonly #tokens: CredentialCache<TokenHolder>
  readonly #workspaces: Cache<readonly string[]>
  readonly #admitted: Cache<boolean>
  readonly #listed: Cache<boolean>

  constructor(deps: Deps) {
    const { db, signal, clock, credentials } = deps
    this.#deps = deps
    this.#tokens = new CredentialCache((hash) => findHolder(db, Buffer.from(hash, 'hex')), credentials)
    this.#workspaces = new Cache<readonly string[]>(() => findWorkspacesWithKeys(db), {
      loadMs: credentials?.lookUpMs,
      maxEntries: 1,
    })
    this.#admitted = new Cache((key) => admitToDirectory(deps, ...(JSON.parse(key) as [string, string]), clock.now()))
    this.#listed = new Cache(async (key) => {
      const contact = await findContact(db, ...(JSON.parse(key) as [string, string]))
      return contact?.applicationId === null
    })
    signal.subscribe(ACCESS_TOKENS_TOPIC, () => {
      this.#tokens.forget()
      this.#admitted.forget()
      this.#listed.forget()
    })
    signal.subscribe(WORKSPACES_TOPIC, () => this.#workspaces.forget())
  }

  get statistics(): CacheStatistics {
    return this.#tokens.statistics
  }

  /** The user, AUTH_INVALID_KEY or AUTH_KEY_REVOKED. Throws the database's error if the token cannot be checked. */
  authenticate(authorization: string | undefined): Promise<Member | Refusal> {
    return this.#authenticate(authorization, (key) => this.#admitted.get(key))
  }

  /** As `authenticate`, for a request or stream that is in progress: a user who was removed from the directory is not added again. */
  authenticateAgain(authorization: string | undefined): Promise<Member | Refusal> {
    return this.#authenticate(authorization, (key) => this.#listed.get(key))
  }

  async #authenticate(authorization: string | undefined, isAdmitted: IsAdmitted): Promise<Member | Refusal> {
    const hash = readBearer(authorization, 'gu_')
    const holder = hash === undefined ? await this.#authenticateJwt(authorization, isAdmitted) : await this.#tokens.get(hash)
    if (holder === 'revoked') return new Refusal('AUTH_KEY_REVOKED', { message: 'The access token has been revoked.' })
    if (!holder) {
      const message = describeMisplacedCredential(authorization, 'gu_') ?? 'The access token is missing or not valid.'
      return new Refusal('AUTH_INVALID_KEY', { message })
    }
    return holder.member
  }

  /** A JWT does not name its Workspace, so it is valid only if the keys of exactly one Workspace verify it. */
  async #authenticateJwt(authorization: string | undefined, isAdmitted: IsAdmitted): Promise<TokenHolder | undefined> {
    const [, token] = /^bearer +([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(authorization ?? '') ?? []
    if (token === undefined) return undefined
    const members: Member[] = []
    const errors: unknown[] = []
    for (const workspaceId of await this.#workspaces.get('')) {
      try {
        const verified = await this.#deps.userTokens.verify(workspaceId, token)
        if (verified.ok) members.push({ workspaceId, user: verified.user })
      } catch (error) {
        errors.push(error)
      }
    }
    const [member] = members
    if (!member && errors.length > 0) throw errors[0]
    if (!member || members.length > 1) return undefined
    return (await isAdmitted(JSON.stringify([member.workspaceId, member.user.id]))) ? { member } : undefined
  }
}

async function findHolder(db: Db, hash: Buffer): Promise<TokenHolder | undefined> {
  const holder = await findTokenHolder(db, hash)
  if (!holder || !timingSafeEqual(holder.hash, hash)) return undefined
  return holder.revokedAt ? 'revoked' : { member: holder.member }
}

async function findWorkspacesWithKeys(db: Db): Promise<string[]> {
  const rows = await db
    .selectFrom('workspace')
    .select('id')
    .where(sql<boolean>`jsonb_typeof(settings -> 'jwks') = 'object'`)
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => toId('ws', id))
}

/** Adds a new user. The username is the id, or generated if policies change or deny the id or another user has that name. */
async function admitToDirectory(deps: Deps, workspaceId: string, userId: string, now: Date): Promise<boolean> {
  const { db } = deps
  const workspace = uuidOfWorkspace(workspaceId)
  const find = () => findContact(db, workspaceId, userId)
  const existing = await find()
  if (existing) return existing.applicationId === null
  const about = { workspaceId, author: { ...ANONYMOUS_USER, id: userId, verified: true }, now }
  const governed = await governDeclared(deps, about, { username: userId })
  const usernames = governed.ok && governed.fields.username === userId ? [governed.fields.username] : []
  for (const username of [...usernames, generatedUsername()]) {
    const fields = { role: '', department: '', attributes: '{}', created_at: now, updated_at: now }
    await db
      .insertInto('workspace_user')
      .values({ workspace_id: workspace, id: userId, username, ...fields })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    const entry = await find()
    if (entry) return entry.applicationId === null
  }
  return false
}
