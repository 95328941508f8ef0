import { useTranslation } from 'react-i18next'
import { useChange } from '../../api/queries.ts'
import { useNavigateTo } from '../../routing/location.ts'
import { changedFields } from '../../ui/changed-fields.ts'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { FormDialog, useFormDialog } from '../../ui/form-dialog.tsx'
import { showFormError } from '../../ui/form-errors.ts'
import { useFormSync } from '../../ui/use-form-sync.ts'
import type { Budget } from './budget.ts'
import { BudgetForm, patchBody, useBudgetForm, valuesOf } from './budget-form.tsx'

const PATHS = ['/admin/v1/budgets']

/** Buttons that edit and delete a budget. */
export function BudgetActions({ budget }: { readonly budget: Budget }) {
  return (
    <>
      <EditButton budget={budget} />
      <DeleteButton budget={budget} />
    </>
  )
}

function EditButton({ budget }: { readonly budget: Budget }) {
  const { t } = useTranslation('budgets')
  const form = useBudgetForm(budget)
  const dialog = useFormDialog(form)
  const update = useChange('patch', '/admin/v1/budgets/{id}', { refresh: PATHS, onDone: dialog.saved })
  useFormSync(form, valuesOf(budget))
  return (
    <FormDialog
      dialog={dialog}
      title={t('edit.title', { name: budget.name })}
      label={t('edit.label')}
      variant="default"
      pending={update.isPending}
    >
      <BudgetForm
        form={form}
        isNew={false}
        submit={t('edit.submit')}
        pending={update.isPending}
        onSubmit={(values) =>
          update.mutate(
            { params: { path: { id: budget.id } }, body: changedFields(patchBody(values), patchBody(form.getInitialValues())) },
            { onError: showFormError(form) },
          )
        }
      />
    </FormDialog>
  )
}

function DeleteButton({ budget: { id, name } }: { readonly budget: Budget }) {
  const { t } = useTranslation('budgets')
  const navigateTo = useNavigateTo()
  const remove = useChange('delete', '/admin/v1/budgets/{id}', { expire: PATHS, onDone: () => navigateTo('/budgets') })
  return (
    <ConfirmButton
      size="sm"
      color="red"
      question={t('delete.question', { name })}
      consequence={t('delete.consequence')}
      onConfirm={() => remove.mutateAsync({ params: { path: { id } } })}
    >
      {t('delete.label')}
    </ConfirmButton>
  )
}
