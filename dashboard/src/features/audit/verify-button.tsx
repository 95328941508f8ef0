import { Alert, Button, Modal, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useTranslation } from 'react-i18next'
import { useChange } from '../../api/queries.ts'
import type { AuditVerification as Verification } from '../../api/schema.d.ts'
import { DescriptionList } from '../../ui/description-list.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { Link } from '../../ui/link.tsx'

/** Lets the server verify all records, hashes and signatures of the log. */
export function VerifyButton() {
  const { t } = useTranslation('audit')
  const [opened, { open, close }] = useDisclosure()
  const verify = useChange('post', '/admin/v1/audit/verify')
  const run = () => {
    open()
    verify.mutate({ body: {} })
  }
  return (
    <>
      <Button variant="default" onClick={run}>
        {t('verify.label')}
      </Button>
      <Modal opened={opened} onClose={close} title={t('verify.title')}>
        {verify.isPending && <Text role="status">{t('verify.running')}</Text>}
        {verify.error && <ErrorState error={verify.error} onRetry={run} />}
        {verify.data && <Result verification={verify.data} />}
      </Modal>
    </>
  )
}

function Result({ verification }: { readonly verification: Verification }) {
  const { t } = useTranslation('audit')
  const { ok, records, checkpoints, first, signed_through, accepted_through, waiting, first_bad } = verification
  return (
    <Stack>
      {ok ? (
        <Alert role="status" color="green" title={t('verify.intact')}>
          {accepted_through > 0 ? t('verify.accepted', { record: accepted_through }) : t('verify.unchanged')}
        </Alert>
      ) : (
        <Alert role="alert" color="red" title={t('tampering.title')}>
          {first_bad && first_bad.sequence > 0
            ? t('verify.fault', { message: first_bad.message, sequence: first_bad.sequence })
            : first_bad?.message}
          {first_bad?.id && (
            <Link to={`/audit/${first_bad.id}`} display="block">
              {first_bad.id}
            </Link>
          )}
        </Alert>
      )}
      <DescriptionList
        items={[
          [t('verify.records'), records.toLocaleString()],
          [t('verify.checkpoints'), checkpoints.toLocaleString()],
          [t('verify.first'), first],
          [t('verify.signed'), signed_through],
          [t('verify.waiting'), waiting > 0 ? waiting.toLocaleString() : null],
        ]}
      />
    </Stack>
  )
}
