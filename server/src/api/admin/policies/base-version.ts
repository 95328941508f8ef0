import { Type } from 'typebox'
import type { PolicySetVersion } from '../../../domains/policy/policy-store.ts'
import { GatehouseError } from '../../../errors.ts'
import { policySetView } from './policy-shapes.ts'

/** `base_version` of a Workspace without policies. */
export const NO_VERSION = 'none'

/** Query of routes that activate a version: the version that the client saw as active. */
export const BASE_VERSION = {
  base_version: Type.Optional(
    Type.String({
      maxLength: 100,
      description: `Id of the version that the client regards as active, or \`${NO_VERSION}\`. If another version is active, the response is 409 and nothing changes. Default: no check.`,
    }),
  ),
}

/** Throws CONFLICT unless `base_version` is the active version. Without `base_version` nothing is checked. */
export function checkBaseVersion(base: string | undefined, active: PolicySetVersion | undefined): void {
  if (base === undefined || base === (active?.id ?? NO_VERSION)) return
  throw new GatehouseError('CONFLICT', {
    message: active
      ? `Another version was published: ${active.name} v${active.version} is active. Compare your document with it, then publish with its id as base_version.`
      : 'No version is active. Publish with base_version=none.',
    param: 'base_version',
    details: { reason: 'base_version_superseded', base_version: base, active_version: active ? policySetView(active) : null },
  })
}
