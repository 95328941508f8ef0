import { Alert, Button, Group, List, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { Trans, useTranslation } from 'react-i18next'
import { sendRequest } from '../../api/operations.ts'
import type { AuditRecord } from '../../api/schema.d.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { DescriptionList } from '../../ui/description-list.tsx'
import { downloadFile } from '../../ui/download.ts'
import { ErrorState } from '../../ui/error-state.tsx'
import { Time } from '../../ui/time.tsx'
import { Hash } from './hash.tsx'
import { VerifyCommand } from './verify-command.tsx'
import { type Proof, type ProofChecks, verifyProof } from './verify-proof.ts'

const CHECKS = ['record', 'inclusion', 'signature'] as const

/** Position of the record in the hash chain, and its verification in the browser. */
export function RecordIntegrity({ record: { id, integrity } }: { readonly record: AuditRecord }) {
  const { t } = useTranslation('audit')
  const readProof = () => sendRequest('get', '/admin/v1/audit/{id}/proof', { params: { path: { id } } })
  const verify = useMutation({
    mutationFn: async () => {
      const proof = await readProof()
      return { proof, checks: await verifyProof(proof) }
    },
  })
  const download = useMutation({
    mutationFn: async () => downloadFile(`${id}.proof.json`, new Blob([JSON.stringify(await readProof())])),
  })
  return (
    <Stack>
      <DescriptionList
        items={[
          [t('integrity.sequence'), integrity.sequence],
          [t('integrity.hash'), <Hash key="hash" value={integrity.hash} label={t('integrity.hashLabel')} />],
          [t('integrity.previous'), <Hash key="before" value={integrity.prev_hash} label={t('integrity.previousLabel')} />],
        ]}
      />
      <Group>
        <Button variant="default" loading={verify.isPending} onClick={() => verify.mutate()}>
          {t('integrity.verify')}
        </Button>
        <Button variant="default" loading={download.isPending} onClick={() => download.mutate()}>
          {t('integrity.download')}
        </Button>
      </Group>
      {download.error && <ErrorState title={t('integrity.notDownloaded')} error={download.error} />}
      {download.isSuccess && (
        <VerifyCommand command={t('integrity.command', { file: `${id}.proof.json` })} text={t('integrity.downloaded')} />
      )}
      {verify.error && <ErrorState title={t('integrity.failed')} error={verify.error} />}
      {verify.data && <ProofResult {...verify.data} />}
    </Stack>
  )
}

function ProofResult({ proof, checks }: { readonly proof: Proof; readonly checks: ProofChecks }) {
  const { t } = useTranslation('audit')
  const isValid = checks.record && checks.inclusion && checks.signature
  const { size, created_at } = proof.checkpoint
  return (
    <Alert role="status" color={isValid ? 'green' : 'red'} title={isValid ? t('integrity.valid') : t('integrity.invalid')}>
      <List size="sm">
        {CHECKS.map((name) => (
          <List.Item key={name}>
            {t(checks[name] ? 'integrity.passed' : 'integrity.missed', { check: t(`integrity.checks.${name}`) })}
          </List.Item>
        ))}
      </List>
      <Group gap="xs" mt="xs">
        <Text size="sm">
          <Trans
            ns="audit"
            i18nKey="integrity.against"
            values={{ size: size.toLocaleString() }}
            components={{ time: <Time at={created_at} format="date" /> }}
          />
        </Text>
        <CopyButton value={JSON.stringify(proof)} label={t('integrity.proof')} />
      </Group>
    </Alert>
  )
}
