import { timingSafeEqual } from 'node:crypto'
import type { Db } from '../../db/database.ts'
import type { Signal } from '../../db/signal.ts'
import { GatehouseError } from '../../errors.ts'
import type { UserTokenVerifier } from '../../identity/user-token.ts'
import { WORKSPACES_TOPIC } from '../../identity/user-token.ts'
import { Cache } from '../../lib/cache.ts'
import type { Clock } from '../../lib/clock.ts'
import { describeMisplacedCredential, readBearer } from '../../lib/credential.ts'
import { CredentialCache, type CredentialCacheOptions } from '../../lib/credential-cache.ts'
import type { Member } from '../api/member.ts'
import { findTokenHolder } from './access-token-store.ts'
import { admitToDirectory, type DirectoryDeps, findWorkspacesWithKeys, isListedPerson } from './directory.ts'

/** Topic of db/signal.ts: an access token, or whom it stands for, has changed. */
export const ACCESS_TOKENS_TOPIC = 'access_tokens'

/** Whether a user may come in whom a JWT names; by Workspace and user. */
type Admits = (key: string) => Promise<boolean>

type Found = { readonly member: Member } | 'revoked'

interface Deps extends DirectoryDeps {
  readonly signal: Signal
  readonly clock: Clock
  readonly userTokens: Pick<UserTokenVerifier, 'verify'>
  readonly credentials?: CredentialCacheOptions
}

/** Bearer token → member: an access token (`gu_…`), or a JWT that a Workspace's own keys verify (MSG-AUTH-1, MSG-AUTH-2). */
export class MemberAuthenticator {
  readonly #deps: Deps
  readonly #tokens: CredentialCache<Found>
  readonly #workspaces: Cache<readonly string[]>
  /** Of users who came with a JWT: whether they may. By Workspace and user. */
  readonly #admitted: Cache<boolean>
  /** Likewise, whether they are in the directory now. */
  readonly #listed: Cache<boolean>

  constructor(deps: Deps) {
    const { db, signal, clock, credentials } = deps
    this.#deps = deps
    this.#tokens = new CredentialCache((hash) => lookUp(db, Buffer.from(hash, 'hex')), credentials)
    this.#workspaces = new Cache<readonly string[]>(() => findWorkspacesWithKeys(db), {
      loadMs: credentials?.lookUpMs,
      maxEntries: 1,
    })
    this.#admitted = new Cache((key) => admitToDirectory(deps, ...(JSON.parse(key) as [string, string]), clock.now()))
    this.#listed = new Cache((key) => isListedPerson(db, ...(JSON.parse(key) as [string, string])))
    signal.subscribe(ACCESS_TOKENS_TOPIC, () => {
      this.#tokens.forget()
      this.#admitted.forget()
      this.#listed.forget()
    })
    signal.subscribe(WORKSPACES_TOPIC, () => this.#workspaces.forget())
  }

  /** Throws AUTH_INVALID_KEY or AUTH_KEY_REVOKED; as the database does when it does not answer. */
  authenticate(authorization: string | undefined): Promise<Member> {
    return this.#authenticate(authorization, (key) => this.#admitted.get(key))
  }

  /** As `authenticate`, for what is open already: a user who is not in the directory any more is not put there again. */
  authenticateAgain(authorization: string | undefined): Promise<Member> {
    return this.#authenticate(authorization, (key) => this.#listed.get(key))
  }

  async #authenticate(authorization: string | undefined, admits: Admits): Promise<Member> {
    const hash = readBearer(authorization, 'gu_')
    const found = hash === undefined ? await this.#byJwt(authorization, admits) : await this.#tokens.get(hash)
    if (found === 'revoked') throw new GatehouseError('AUTH_KEY_REVOKED', { message: 'The access token has been revoked.' })
    if (!found) {
      const message = describeMisplacedCredential(authorization, 'gu_') ?? 'The access token is missing or not valid.'
      throw new GatehouseError('AUTH_INVALID_KEY', { message })
    }
    return found.member
  }

  /** A JWT does not say whose it is: it counts where exactly one Workspace trusts it. */
  async #byJwt(authorization: string | undefined, admits: Admits): Promise<Found | undefined> {
    const [, token] = /^bearer +([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(authorization ?? '') ?? []
    if (token === undefined) return undefined
    const members: Member[] = []
    const faults: unknown[] = []
    for (const workspaceId of await this.#workspaces.get('')) {
      try {
        const verdict = await this.#deps.userTokens.verify(workspaceId, token)
        if (verdict.ok) members.push({ workspaceId, user: verdict.user })
      } catch (fault) {
        faults.push(fault)
      }
    }
    const [member] = members
    if (!member && faults.length > 0) throw faults[0]
    if (!member || members.length > 1) return undefined
    return (await admits(JSON.stringify([member.workspaceId, member.user.id]))) ? { member } : undefined
  }
}

async function lookUp(db: Db, hash: Buffer): Promise<Found | undefined> {
  const holder = await findTokenHolder(db, hash)
  if (!holder || !timingSafeEqual(holder.hash, hash)) return undefined
  return holder.revokedAt ? 'revoked' : { member: holder.member }
}
