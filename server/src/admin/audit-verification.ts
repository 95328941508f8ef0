import { verify } from 'node:crypto'
import { findWorkspace } from '../applications/workspace-store.ts'
import { FAULTS } from '../audit/chain-checker.ts'
import type { Checkpoint } from '../audit/checkpoint.ts'
import { type Verification, verifyWorkspace } from '../audit/verify.ts'
import { loadWorkspaceKeys } from '../audit/workspace-keys.ts'
import type { Db } from '../db/database.ts'
import { GatehouseError } from '../errors.ts'
import { type Clock, elapsed } from '../lib/clock.ts'
import type { SecretBox } from '../lib/secret-box.ts'
import { invalid, notFound } from './refusals.ts'

interface Deps {
  readonly db: Db
  readonly clock: Clock
  readonly workspaceBox: SecretBox
}

/** Longest time; a log that takes longer is for the command line. */
const MAX_MS = 60_000
/** Verifications under way on this node. */
const MAX_RUNNING = 4
const DAY_MS = 86_400_000

/** Verifies logs on request. Reading one whole is work: who asks the same while it is done gets the same answer. */
export function auditVerification(deps: Deps) {
  const running = new Map<string, Promise<Verification>>()
  return async (workspaceId: string, kept: Checkpoint | undefined) => {
    if (kept && kept.workspace_id !== workspaceId) {
      throw invalid({ param: 'checkpoint.workspace_id', message: 'must be the Workspace that is verified' })
    }
    const key = JSON.stringify([workspaceId, kept ?? null])
    const known = running.get(key)
    if (!known && running.size >= MAX_RUNNING) {
      throw new GatehouseError('UNAVAILABLE', { message: 'Other logs are being verified; try again in a minute.' })
    }
    const result = known ?? verifyLog(deps, workspaceId, kept).finally(() => running.delete(key))
    running.set(key, result)
    return verificationView(await result)
  }
}

async function verifyLog({ db, clock, workspaceBox }: Deps, workspaceId: string, kept?: Checkpoint): Promise<Verification> {
  const workspace = await findWorkspace(db, workspaceId)
  if (!workspace) throw notFound('Workspace')
  const deadline = elapsed() + MAX_MS
  return verifyWorkspace(db, workspaceId, await publicKeyOf(db, workspaceBox, workspaceId), {
    completeSince: new Date(clock.now().getTime() - workspace.settings.audit_retention_days * DAY_MS),
    ...(kept && { kept }),
    onProgress: () => {
      if (elapsed() < deadline) return
      throw new GatehouseError('UNAVAILABLE', {
        message: 'The log is too long to be verified here: use `gatehouse audit verify` on the server.',
      })
    },
  }).catch((error: unknown) => {
    if (!(error instanceof RangeError)) throw error
    throw invalid({ param: 'checkpoint', message: 'is older than what retention has kept' })
  })
}

/** It lies open in the table, where whoever forges records could put their own: it must fit the private one, which is sealed. */
async function publicKeyOf(db: Db, box: SecretBox, workspaceId: string): Promise<string> {
  const keys = await loadWorkspaceKeys(db, box, workspaceId)
  const probe = 'gatehouse audit'
  if (keys && verify(null, Buffer.from(probe), keys.publicKey, keys.sign(probe))) return keys.publicKey
  throw new Error('the public key of the Workspace is not the one that belongs to its signing key')
}

const verificationView = ({ ok, records, checkpoints, first, signedThrough, firstBad }: Verification) => ({
  object: 'audit_verification' as const,
  ok,
  records,
  checkpoints,
  first,
  signed_through: signedThrough,
  first_bad: firstBad ? { ...firstBad, message: FAULTS[firstBad.reason] } : null,
})
