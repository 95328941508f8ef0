import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useChange } from '../../api/queries.ts'
import { showFormError } from '../../ui/form-errors.ts'
import { FormModal } from '../../ui/form-modal.tsx'
import { useWebhookForm, WebhookForm, webhookBody } from './webhook-form.tsx'

/** Creates a webhook. Its signing secret is shown once. */
export function CreateButton({ onSecret }: { readonly onSecret: (secret: string) => void }) {
  const [opened, { open, close }] = useDisclosure()
  const form = useWebhookForm()
  const create = useChange('post', '/admin/v1/webhooks', {
    refresh: ['/admin/v1/webhooks'],
    onDone: ({ secret }) => {
      close()
      form.reset()
      onSecret(secret)
    },
  })
  const dismiss = () => {
    close()
    form.reset()
  }
  return (
    <>
      <Button onClick={open}>Create webhook</Button>
      <FormModal opened={opened} unsaved={form.isDirty() && !create.isPending} onClose={dismiss} title="Create webhook">
        <WebhookForm
          form={form}
          submit="Create"
          pending={create.isPending}
          onSubmit={(values) => create.mutate({ body: webhookBody(values) }, { onError: showFormError(form) })}
        />
      </FormModal>
    </>
  )
}
