import { Type } from 'typebox'
import { describeKeys, readCounts } from '../../../domains/keys/sealed-counts.ts'
import type { Db } from '../../../platform/db/database.ts'
import { oneOf, Timestamp } from '../../../platform/lib/fields.ts'
import type { SecretKeys } from '../../../platform/lib/secret-box.ts'
import { nullable } from '../../../shared/schemas.ts'
import { handle, type TypedApp } from '../../kit/route.ts'
import { operation } from '../kit/operation.ts'

const SecretKeysView = Type.Object({
  object: Type.Literal('secret_keys'),
  keys: Type.Array(
    Type.Object({
      id: Type.String({
        description: 'Derived from the key. `unknown`: values that no configured key opens and that name no key.',
      }),
      state: {
        ...oneOf(['current', 'next', 'old', 'missing']),
        description:
          'current: seals new values. next: opens values of nodes that use it already. old: opens values until they are sealed again. missing: sealed values, but is not configured.',
      },
      values: Type.Integer({ description: 'Values that the key had sealed at `counted_at`. An old key with 0 can be removed.' }),
    }),
  ),
  counted_at: {
    ...nullable(Timestamp),
    description: 'Time of the last count, by the rotation or `gatehouse keys status`; null: never.',
  },
})

const docs = operation('GET /secret-keys', 'getSecretKeys', "List the server's secret keys with the progress of a rotation", {
  scope: 'operators:read',
  answers: { 200: SecretKeysView },
})

export function secretKeysRoutes(app: TypedApp, { db, secrets }: { readonly db: Db; readonly secrets: SecretKeys }): void {
  handle(app, docs, async () => {
    const { counts, countedAt } = await readCounts(db)
    return { object: 'secret_keys', keys: describeKeys(secrets, counts), counted_at: countedAt?.toISOString() ?? null }
  })
}
