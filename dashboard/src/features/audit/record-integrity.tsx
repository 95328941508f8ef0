import { Alert, Button, Group, List, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { AuditRecord } from '../../api/audit-record.ts'
import { sendRequest } from '../../api/operations.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { DescriptionList } from '../../ui/description-list.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { Time } from '../../ui/time.tsx'
import { type Proof, type ProofChecks, verifyProof } from './verify-proof.ts'

const CHECKS = [
  ['record', 'The record matches its hash'],
  ['inclusion', 'The checkpoint covers the hash'],
  ['signature', "The signature of the checkpoint is valid for the Workspace's key"],
] as const

/** Position of the record in the hash chain, and its verification in the browser. */
export function RecordIntegrity({ record: { id, integrity } }: { readonly record: AuditRecord }) {
  const verify = useMutation({
    mutationFn: async () => {
      const proof = await sendRequest('get', '/admin/v1/audit/{id}/proof', { params: { path: { id } } })
      return { proof, checks: await verifyProof(proof) }
    },
  })
  return (
    <Stack>
      <DescriptionList
        items={[
          ['Sequence number', integrity.sequence],
          ['Hash', <Hash key="hash" value={integrity.hash} label="hash" />],
          ['Previous hash', <Hash key="before" value={integrity.prev_hash} label="previous hash" />],
        ]}
      />
      <Group>
        <Button variant="default" loading={verify.isPending} onClick={() => verify.mutate()}>
          Verify record
        </Button>
      </Group>
      {verify.error && <ErrorState error={verify.error} />}
      {verify.data && <ProofResult {...verify.data} />}
    </Stack>
  )
}

function ProofResult({ proof, checks }: { readonly proof: Proof; readonly checks: ProofChecks }) {
  const isValid = checks.record && checks.inclusion && checks.signature
  const { size, created_at } = proof.checkpoint
  return (
    <Alert role="status" color={isValid ? 'green' : 'red'} title={isValid ? 'Record verified' : 'Verification failed'}>
      <List size="sm">
        {CHECKS.map(([name, text]) => (
          <List.Item key={name}>
            {checks[name] ? '✓' : '✗'} {text}
          </List.Item>
        ))}
      </List>
      <Group gap="xs" mt="xs">
        <Text size="sm">
          Verified in this browser against the checkpoint of <Time at={created_at} /> over {size.toLocaleString()} records.
        </Text>
        <CopyButton value={JSON.stringify(proof)} label="proof" />
      </Group>
    </Alert>
  )
}

const Hash = ({ value, label }: { readonly value: string; readonly label: string }) => (
  <Group gap={4} wrap="nowrap">
    <code title={value}>{value.slice(0, 16)}…</code>
    <CopyButton value={value} label={label} />
  </Group>
)
