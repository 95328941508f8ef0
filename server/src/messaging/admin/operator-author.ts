import type { FastifyRequest } from 'fastify'
import { ANONYMOUS_USER } from '../../domain/principal.ts'
import type { Clock } from '../../lib/clock.ts'
import type { FieldContext } from '../governance/governed-fields.ts'

/** The operator as the author of texts that users read, for policies. */
export const operatorAuthor = (
  { workspaceId, operator }: Pick<FastifyRequest, 'workspaceId' | 'operator'>,
  { clock }: { readonly clock: Clock },
): FieldContext => ({ workspaceId, author: { ...ANONYMOUS_USER, id: operator.id, verified: true }, now: clock.now() })
