// The tasks of the service, where some orders end their worker, or never end, at their first delivery.
import { defineTasks } from '@ticketing/dispatch';
import type { Message } from '../src/queue.ts';
import service, { type Invoice } from '../src/tasks.ts';

export default defineTasks({
  invoice(message: Message, context): Invoice {
    if (message.redelivered === 0 && message.customer === 'crash') process.exit(3);
    if (message.customer === 'crash-always') process.exit(3);
    return service.tasks.invoice(message, context);
  },
});
