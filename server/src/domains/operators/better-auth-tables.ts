import type { BetterAuthOptions } from 'better-auth'
import type { Db } from '../../platform/db/database.ts'

const DAY_SECONDS = 86_400
const SESSION_DAYS = 7

export type ValidateUser = NonNullable<NonNullable<BetterAuthOptions['user']>['validateUserInfo']>

const TIME_FIELDS = { createdAt: 'created_at', updatedAt: 'updated_at' }

/** No transactions: the steps of better-auth are independent, and the embedded database has one connection at a time. */
export const betterAuthTables = (db: Db, validateUserInfo: ValidateUser) =>
  ({
    database: { db, type: 'postgres', transaction: false },
    user: {
      modelName: 'operator',
      fields: { ...TIME_FIELDS, emailVerified: 'email_verified' },
      // `validateUserInfo` refuses an operator without a role, with a clearer message.
      additionalFields: {
        role: { type: 'string', required: false },
        suspendedAt: { type: 'date', required: false, input: false, fieldName: 'suspended_at' },
      },
      validateUserInfo,
    },
    session: {
      modelName: 'operator_session',
      fields: {
        ...TIME_FIELDS,
        userId: 'operator_id',
        expiresAt: 'expires_at',
        ipAddress: 'ip_address',
        userAgent: 'user_agent',
      },
      expiresIn: SESSION_DAYS * DAY_SECONDS,
      disableSessionRefresh: true,
    },
    account: {
      modelName: 'operator_account',
      fields: {
        ...TIME_FIELDS,
        userId: 'operator_id',
        accountId: 'account_id',
        providerId: 'provider_id',
        accessToken: 'access_token',
        refreshToken: 'refresh_token',
        idToken: 'id_token',
        accessTokenExpiresAt: 'access_token_expires_at',
        refreshTokenExpiresAt: 'refresh_token_expires_at',
      },
      updateAccountOnSignIn: false,
    },
    verification: { modelName: 'operator_verification', fields: { ...TIME_FIELDS, expiresAt: 'expires_at' } },
  }) as const satisfies Partial<BetterAuthOptions>

export const TWO_FACTOR_SCHEMA = {
  user: { fields: { twoFactorEnabled: 'two_factor_enabled' } },
  twoFactor: {
    modelName: 'operator_second_factor',
    fields: {
      backupCodes: 'backup_codes',
      userId: 'operator_id',
      failedVerificationCount: 'failed_count',
      lockedUntil: 'locked_until',
    },
  },
}
