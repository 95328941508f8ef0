import { createHash } from 'node:crypto'
import { verifyPassword } from 'better-auth/crypto'
import type { PasswordHashing } from '../../src/domains/operators/better-auth.ts'

const PREFIX = 'sha256:'
const hash = (password: string): string => PREFIX + createHash('sha256').update(password).digest('hex')

/** Hashes without scrypt, which would take a tenth of the CPU time of the operators' tests. Passwords of the template folder have scrypt hashes. */
export const FAST_PASSWORDS: PasswordHashing = {
  hash: async (password) => hash(password),
  verify: async (given) => (given.hash.startsWith(PREFIX) ? hash(given.password) === given.hash : await verifyPassword(given)),
}
