import { useTranslation } from 'react-i18next'
import { useChange } from '../../api/queries.ts'
import { FormDialog, useFormDialog } from '../../ui/form-dialog.tsx'
import { showFormError } from '../../ui/form-errors.ts'
import { useWebhookForm, WebhookForm, webhookBody } from './webhook-form.tsx'

/** Creates a webhook. Its signing secret is shown once; chat tools do not need it. */
export function CreateButton({ onSecret }: { readonly onSecret: (secret: string) => void }) {
  const { t } = useTranslation('webhooks')
  const form = useWebhookForm()
  const dialog = useFormDialog(form)
  const create = useChange('post', '/admin/v1/webhooks', {
    refresh: ['/admin/v1/webhooks'],
    onDone: ({ secret, format }) => {
      dialog.dismiss()
      if (format === 'standard') onSecret(secret)
    },
  })
  return (
    <FormDialog dialog={dialog} title={t('create.title')} pending={create.isPending}>
      <WebhookForm
        form={form}
        submit={t('create.submit')}
        pending={create.isPending}
        onSubmit={(values) => create.mutate({ body: webhookBody(values) }, { onError: showFormError(form) })}
      />
    </FormDialog>
  )
}
