import { useChange } from '../../api/queries.ts'
import { FormDialog, useFormDialog } from '../../ui/form-dialog.tsx'
import { showFormError } from '../../ui/form-errors.ts'
import { useWebhookForm, WebhookForm, webhookBody } from './webhook-form.tsx'

/** Creates a webhook. Its signing secret is shown once. */
export function CreateButton({ onSecret }: { readonly onSecret: (secret: string) => void }) {
  const form = useWebhookForm()
  const dialog = useFormDialog(form)
  const create = useChange('post', '/admin/v1/webhooks', {
    refresh: ['/admin/v1/webhooks'],
    onDone: ({ secret }) => {
      dialog.dismiss()
      onSecret(secret)
    },
  })
  return (
    <FormDialog dialog={dialog} title="Create webhook" pending={create.isPending}>
      <WebhookForm
        form={form}
        submit="Create"
        pending={create.isPending}
        onSubmit={(values) => create.mutate({ body: webhookBody(values) }, { onError: showFormError(form) })}
      />
    </FormDialog>
  )
}
