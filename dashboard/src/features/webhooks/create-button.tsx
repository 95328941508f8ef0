import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useChange } from '../../api/queries.ts'
import { showInForm } from '../../ui/form-errors.ts'
import { FormModal } from '../../ui/form-modal.tsx'
import { useWebhookForm, WebhookForm, webhookBody } from './webhook-form.tsx'

/** Adds a webhook; its secret is shown this once. */
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
      <Button onClick={open}>New webhook</Button>
      <FormModal opened={opened} unsaved={form.isDirty() && !create.isPending} onClose={dismiss} title="New webhook">
        <WebhookForm
          form={form}
          submit="Create"
          pending={create.isPending}
          onSubmit={(values) => create.mutate({ body: webhookBody(values) }, { onError: showInForm(form) })}
        />
      </FormModal>
    </>
  )
}
