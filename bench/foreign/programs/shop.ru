# A plain Rack application: the words of APP_FLAGS choose what a request does, and so what limits it.
flags = ENV.fetch("APP_FLAGS").split.each_slice(2).to_h { |name, value| [name.delete_prefix("--"), value.to_f] }
flags.default = 0.0
monitor = Mutex.new
busy = ->(rounds) { rounds.times.sum { |round| round * round % 7 } }
live = Array.new(flags["live-thousands"].to_i * 1000) { |number| [number, number.to_s] }
begun = Process.clock_gettime(Process::CLOCK_MONOTONIC)
first = lambda do
  flags["turns-ms"].zero? || ((Process.clock_gettime(Process::CLOCK_MONOTONIC) - begun) * 1000 / flags["turns-ms"]).to_i.even?
end

if flags["collect-ms"].positive?
  Thread.new do
    loop do
      sleep flags["collect-ms"] / 1000
      GC.start
    end
  end
end

run lambda { |_|
  if flags["turns-ms"].zero?
    busy.call(flags["rounds"].to_i) if flags["rounds"].positive?
    monitor.synchronize { sleep flags["lock-ms"] / 1000 } if flags["lock-ms"].positive?
  elsif first.call
    busy.call(flags["rounds"].to_i)
  else
    monitor.synchronize { sleep flags["lock-ms"] / 1000 }
  end
  sleep flags["sleep-ms"] / 1000 if flags["sleep-ms"].positive?
  raise "nothing is kept" if live.nil?
  [200, { "Content-Type" => "text/plain" }, ["x" * 200]]
}
