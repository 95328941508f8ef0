import { readFile } from 'node:fs/promises'
import { findProofFault, type ProofFault, parseRecordProof } from '../../domains/audit/verify/record-proof.ts'
import { CommandFailure, type Terminal } from './terminal.ts'
import { unreadable } from './verification.ts'

const FAULTS: Readonly<Record<ProofFault, string>> = {
  record_altered: 'the record was altered',
  checkpoint_altered: 'the checkpoint was altered, or signed with another key',
  not_covered: 'the checkpoint does not cover the record',
}

/** `gatehouse audit verify-proof FILES`: verifies records with their proofs and the public key, on any machine. */
export async function auditVerifyProofs(
  { out }: Terminal,
  files: readonly string[],
  { publicKey }: { publicKey: string },
): Promise<void> {
  const read = (file: string) => readFile(file, 'utf8').catch((error) => unreadable(file, error))
  const key = await read(publicKey)
  let areValid = true
  for (const file of files) {
    const text = await read(file)
    const result = await Promise.try(() => verify(text, key)).catch((error) => unreadable(file, error))
    out(`${file}: ${result.text}`)
    areValid &&= result.isValid
  }
  if (!areValid) throw new CommandFailure('a record is not proved')
}

function verify(text: string, publicKey: string) {
  const proof = parseRecordProof(text)
  const { record, checkpoint } = proof
  const fault = findProofFault(proof, publicKey)
  const place = `record ${record.integrity.sequence} of ${record.workspace_id}`
  if (fault) return { isValid: false, text: `${record.id} is not proved to be ${place}: ${FAULTS[fault]}` }
  const signed = `signed at ${checkpoint.created_at} over ${checkpoint.size} records`
  return { isValid: true, text: `${record.id} of ${record.created_at} is ${place}, by the checkpoint ${signed}` }
}
