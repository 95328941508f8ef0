import { Alert, Button, Modal, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { ResponseOf } from '../../api/operations.ts'
import { useChange } from '../../api/queries.ts'
import { DescriptionList } from '../../ui/description-list.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { Link } from '../../ui/link.tsx'

type Verification = ResponseOf<'post', '/admin/v1/audit/verify'>

/** Lets the server verify all records, hashes and signatures of the log. */
export function VerifyButton() {
  const [opened, { open, close }] = useDisclosure()
  const verify = useChange('post', '/admin/v1/audit/verify')
  const run = () => {
    open()
    verify.mutate({ body: {} })
  }
  return (
    <>
      <Button variant="default" onClick={run}>
        Verify
      </Button>
      <Modal opened={opened} onClose={close} title="Verify audit log">
        {verify.isPending && <Text role="status">Verifying records, hashes and signatures…</Text>}
        {verify.error && <ErrorState error={verify.error} onRetry={run} />}
        {verify.data && <Result verification={verify.data} />}
      </Modal>
    </>
  )
}

function Result({ verification }: { readonly verification: Verification }) {
  const { ok, records, checkpoints, first, signed_through, accepted_through, waiting, first_bad } = verification
  return (
    <Stack>
      {ok ? (
        <Alert role="status" color="green" title="The audit log is intact">
          {accepted_through > 0
            ? `No record after ${accepted_through} was changed, removed or inserted. Records up to that one were accepted by an operator and are not verified.`
            : 'No record was changed, removed or inserted.'}
        </Alert>
      ) : (
        <Alert role="alert" color="red" title="The audit log was tampered with or is damaged">
          {first_bad?.message}
          {first_bad && first_bad.sequence > 0 && `: record ${first_bad.sequence}`}
          {first_bad?.id && (
            <>
              :{' '}
              <Link to={`/audit/${first_bad.id}`} inherit>
                {first_bad.id}
              </Link>
            </>
          )}
        </Alert>
      )}
      <DescriptionList
        items={[
          ['Verified records', records.toLocaleString()],
          ['Checkpoints', checkpoints.toLocaleString()],
          ['First record', first],
          ['Last signed record', signed_through],
          ...(waiting > 0 ? [['Records without a position for over a minute', waiting.toLocaleString()] as const] : []),
        ]}
      />
    </Stack>
  )
}
