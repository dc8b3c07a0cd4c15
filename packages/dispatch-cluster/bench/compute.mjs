// The handler of every contender: plain JavaScript, so that each of them can load it as it is.
import http from 'node:http';

const isLogging = process.env.LOG_REQUESTS === '1';

const operators = [(a, b) => a + b, (a, b) => a - b, (a, b) => a * b];

function compute() {
  const number = Math.floor(Math.random() * 9e11) + 1e11;
  const operator = operators[Math.floor(Math.random() * operators.length)];
  return operator(Date.now(), number);
}

export function createComputeServer() {
  return http.createServer((request, response) => {
    if (request.url !== '/compute') {
      response.writeHead(404).end();
      return;
    }
    const number = compute();
    if (isLogging) console.log(`${process.pid} ${request.method} ${request.url} ${number}`);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ pid: process.pid, number }));
  });
}

export const listenAt = { port: Number(process.env.PORT), host: '127.0.0.1' };
