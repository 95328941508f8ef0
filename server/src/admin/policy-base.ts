import { Type } from 'typebox'
import { GatehouseError } from '../errors.ts'
import type { PolicySetVersion } from '../policy/policy-store.ts'
import { policySetView } from './policy-shapes.ts'

/** The base of a Workspace that has no policies yet. */
const NO_VERSION = 'none'

/** Query of what puts a version in force: the version that the caller saw in force before. */
export const BASE_VERSION = {
  base_version: Type.Optional(
    Type.String({
      maxLength: 100,
      description: `Id of the version that is in force as far as the caller knows, or \`${NO_VERSION}\`. If another one is, the answer is 409 and nothing changes. Left out: published whatever is in force.`,
    }),
  ),
}

/** Throws CONFLICT unless the version in force is the one that the caller names; a caller that names none is not checked. */
export function checkBaseVersion(base: string | undefined, active: PolicySetVersion | undefined): void {
  if (base === undefined || base === (active?.id ?? NO_VERSION)) return
  throw new GatehouseError('CONFLICT', {
    message: active
      ? `Another version was published meanwhile: ${active.name} v${active.version} is in force. Compare your document with it, then publish with its id as base_version.`
      : 'No version is in force: publish with base_version=none.',
    param: 'base_version',
    details: { reason: 'base_version_superseded', base_version: base, active_version: active ? policySetView(active) : null },
  })
}
