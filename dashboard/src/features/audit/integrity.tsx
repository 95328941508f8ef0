import { Alert, Button, Group, List, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { call } from '../../api/operations.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Time } from '../../ui/time.tsx'
import type { AuditRecord } from './audit-record.ts'
import { type Checked, checkProof, type Proof } from './check-proof.ts'

const CHECKS = [
  ['record', 'The record is, byte for byte, the one that its hash was made of'],
  ['inclusion', 'The hash is one of those that the checkpoint stands for'],
  ['signature', "The checkpoint was signed with the Workspace's key"],
] as const

/** Its place in the chain, and the proof that it stands there, checked in this browser. */
export function Integrity({ record: { id, integrity } }: { readonly record: AuditRecord }) {
  const prove = useMutation({
    mutationFn: async () => {
      const proof = await call('get', '/admin/v1/audit/{id}/proof', { params: { path: { id } } })
      return { proof, checked: await checkProof(proof) }
    },
  })
  return (
    <Stack>
      <Facts
        facts={[
          ['Number in the chain', integrity.sequence],
          ['Hash', <Hash key="hash" value={integrity.hash} what="the hash" />],
          ['Hash of the record before', <Hash key="before" value={integrity.prev_hash} what="the hash before" />],
        ]}
      />
      <Group>
        <Button variant="default" loading={prove.isPending} onClick={() => prove.mutate()}>
          Prove it
        </Button>
      </Group>
      {prove.error && <ErrorState error={prove.error} />}
      {prove.data && <Proven {...prove.data} />}
    </Stack>
  )
}

function Proven({ proof, checked }: { readonly proof: Proof; readonly checked: Checked }) {
  const good = checked.record && checked.inclusion && checked.signature
  const { size, created_at } = proof.checkpoint
  return (
    <Alert role="status" color={good ? 'green' : 'red'} title={good ? 'Proven' : 'The proof does not hold'}>
      <List size="sm">
        {CHECKS.map(([name, text]) => (
          <List.Item key={name}>
            {checked[name] ? '✓' : '✗'} {text}
          </List.Item>
        ))}
      </List>
      <Group gap="xs" mt="xs">
        <Text size="sm">
          Checkpoint over {size.toLocaleString()} records, <Time at={created_at} />; checked in this browser.
        </Text>
        <CopyButton value={JSON.stringify(proof)} what="the proof" />
      </Group>
    </Alert>
  )
}

const Hash = ({ value, what }: { readonly value: string; readonly what: string }) => (
  <Group gap={4} wrap="nowrap">
    <code title={value}>{value.slice(0, 16)}…</code>
    <CopyButton value={value} what={what} />
  </Group>
)
