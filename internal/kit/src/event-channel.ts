/** A `Channel` of `node:diagnostics_channel`, as far as packages publish to it, with the type of its messages. */
export interface EventChannel<Message> {
  readonly hasSubscribers: boolean;
  publish(message: Message): void;
}
