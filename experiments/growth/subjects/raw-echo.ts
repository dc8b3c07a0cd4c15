// A child process that sends back what it gets.
process.on('message', (value) => process.send?.(value));
process.send?.('ready');
