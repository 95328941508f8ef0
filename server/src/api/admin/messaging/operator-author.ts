import type { FastifyRequest } from 'fastify'
import type { FieldContext } from '../../../domains/messaging/governance/governed-fields.ts'
import type { Clock } from '../../../platform/lib/clock.ts'
import { ANONYMOUS_USER } from '../../../shared/principal.ts'

/** The operator as the author of texts that users read, for policies. */
export const operatorAuthor = (
  { workspaceId, operator }: Pick<FastifyRequest, 'workspaceId' | 'operator'>,
  { clock }: { readonly clock: Clock },
): FieldContext => ({ workspaceId, author: { ...ANONYMOUS_USER, id: operator.id, verified: true }, now: clock.now() })
