import { Alert, Button, Modal, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { AnswerOf } from '../../api/operations.ts'
import { useChange } from '../../api/queries.ts'
import { ErrorState } from '../../ui/error-state.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Link } from '../../ui/link.tsx'

type Verification = AnswerOf<'post', '/admin/v1/audit/verify'>

/** Has the server read the whole log and check every hash and signature. */
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
      <Modal opened={opened} onClose={close} title="Verify the log">
        {verify.isPending && <Text role="status">Every record, hash and signature is being checked …</Text>}
        {verify.error && <ErrorState error={verify.error} onRetry={run} />}
        {verify.data && <Result verification={verify.data} />}
      </Modal>
    </>
  )
}

function Result({ verification }: { readonly verification: Verification }) {
  const { ok, records, checkpoints, first, signed_through, accepted_through, first_bad } = verification
  return (
    <Stack>
      {ok ? (
        <Alert role="status" color="green" title="The log is whole">
          {accepted_through > 0
            ? `Nothing was changed, removed or put in between after record ${accepted_through}. Records up to that one were accepted as they stood, and are not checked.`
            : 'Nothing was changed, removed or put in between.'}
        </Alert>
      ) : (
        <Alert role="alert" color="red" title="The log has been tampered with, or damaged">
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
      <Facts
        facts={[
          ['Records found good', records.toLocaleString()],
          ['Checkpoints', checkpoints.toLocaleString()],
          ['First record kept', first],
          ['Signed through', signed_through],
        ]}
      />
    </Stack>
  )
}
