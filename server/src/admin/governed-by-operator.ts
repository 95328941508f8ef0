import type { FastifyRequest } from 'fastify'
import { NOBODY } from '../domain/principal.ts'
import type { FieldsAbout } from '../messaging/governance/governed-fields.ts'
import type { AdminDeps } from './admin-deps.ts'

/** Of texts that an operator writes and users read: policies see the operator as their author. */
export const aboutOf = (
  { workspaceId, operator }: Pick<FastifyRequest, 'workspaceId' | 'operator'>,
  { clock }: Pick<AdminDeps, 'clock'>,
): FieldsAbout => ({ workspaceId, author: { ...NOBODY, id: operator.id, verified: true }, now: clock.now() })
