# Read by irb: reads the user's own file, which irb would have found, and has the history
# written elsewhere.
user = @USER@
if user.empty?
  home, config = ENV['HOME'].to_s, ENV['XDG_CONFIG_HOME'].to_s
  user = [("#{config}/irb/irbrc" unless config.empty?), "#{home}/.irbrc", "#{home}/.config/irb/irbrc",
          '.irbrc', 'irb.rc', '_irbrc', '$irbrc'].compact.find { |file| File.file?(file) }
end
load File.expand_path(user) if user && File.file?(user)
IRB.conf[:HISTORY_FILE] = @HISTORY@
